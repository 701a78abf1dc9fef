package web

import (
	"cmp"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// A look is one page in one state, as somebody comes to see it. Its path, form and login have in braces what the exhibition names.
type look struct {
	name, path string
	as         string       // whose login; empty: nobody's
	form       url.Values   // sent from a page of the site; nil: the page is opened
	said       []any        // what the form before did
	login      string       // the browser that a login was asked for in
	before     func(*world) // what happens first
	status     int          // 0: 200
	plain      bool         // on a site without TLS
	open       bool         // what can be unfolded is
	multi      bool         // the form is sent as one with files
}

// looks are all pages in all states that look different.
func looks() []look {
	const own, other, long = "/account/projects/" + string(harbor), "/account/projects/" + string(suspended), "/account/projects/long-q7w2e5"
	form := func(pairs ...string) url.Values {
		values := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return values
	}
	return []look{
		{name: "home", path: "/"},
		{name: "home-empty", path: "/", before: (*world).emptied},
		{name: "home-played", path: "/?sort=played"},
		{name: "home-live-none", path: "/?sort=live", before: func(*world) {}},
		{name: "tag-none", path: "/tag/cats"},
		{name: "home-next", path: "/?sort=newest&after={next}"},
		{name: "home-found", path: "/?q=harbor"},
		{name: "home-found-none", path: "/?q=" + strings.Repeat("zyx", 30)},
		{name: "home-known", path: "/", as: "long"},
		{name: "profile", path: "/@ada"},
		{name: "profile-long", path: "/@" + longHandle},
		{name: "profile-none", path: "/@quiet-meadow"},
		{name: "profile-own", path: "/@ada", as: "ada", before: func(w *world) {
			must(w.cfg.People.Describe(w.t.Context(), w.owner("ada"), account.Words{Line: "Small games for rainy days, made on trains between Lisbon and Porto with whatever fits into an hour", Link: "https://münchen.example.org/a"}))(w.t)
		}},
		{name: "settings-wrong-link", path: "/account/settings/profile", as: "ada", form: form("line", strings.Repeat("Straßenverkehr", 11), "link", "javascript:alert(1)"), status: http.StatusUnprocessableEntity},
		{name: "project", path: "/p/harbor-k3x9p2"},
		{name: "project-long", path: "/p/long-q7w2e5"},
		{name: "project-japanese", path: "/p/tide-r5h2j9"},
		{name: "project-arabic", path: "/p/sand-c8d4f6"},
		{name: "project-untitled", path: "/p/untitled-b6n1v3"},
		{name: "project-open", path: "/p/harbor-k3x9p2", open: true},
		{name: "project-own", path: "/p/harbor-k3x9p2", as: "ada"},
		{name: "project-own-new", path: "/p/harbor-k3x9p2", as: "ada", before: (*world).unconfirmed},
		{name: "board", path: "/p/harbor-k3x9p2/board?period=week"},
		{name: "message", path: "/p/harbor-k3x9p2/message"},
		{name: "message-wrong", path: "/p/harbor-k3x9p2/message", form: form("text", " "), status: http.StatusUnprocessableEntity},
		{name: "mine", path: "/mine"},
		{name: "embed", path: "/embed/harbor-k3x9p2"},
		{name: "embed-long", path: "/embed/long-q7w2e5"},
		{name: "new", path: "/new"},
		{name: "new-known", path: "/new", as: "ada"},
		{name: "new-wrong", path: "/new", form: form("title", "Harbor", "email", "no address", "text", "<!doctype html><title>Harbor</title>"), multi: true, status: http.StatusUnprocessableEntity},
		{name: "new-checked", path: "/new", form: form("email", "new@example.com", "dry_run", "true", "text", "<!doctype html><script src=game.js></script>"), multi: true},
		{name: "new-done", path: "/new", form: form("title", "Harbor", "email", "new@example.com", "text", "<!doctype html><title>Harbor</title>"), multi: true, status: http.StatusCreated},
		{name: "new-done-known", path: "/new", as: "ada", form: form("text", "<!doctype html><title>Harbor</title>"), multi: true, status: http.StatusCreated, open: true},
		{name: "new-examples", path: examplesPath, before: (*world).emptied},
		{name: "new-examples-wrong", path: examplesPath, form: form("form_token", "x", "email", "nowhere"), status: http.StatusUnprocessableEntity},
		{name: "new-examples-done", path: examplesPath, form: form("form_token", "x", "email", "new@example.com"), status: http.StatusCreated},
		{name: "send", path: "/send"},
		{name: "docs", path: "/docs"},
		{name: "docs-projects", path: "/docs/projects"},
		{name: "docs-agents", path: "/docs/agents"},
		{name: "docs-errors", path: "/docs/errors"},
		{name: "about", path: "/about"},
		{name: "privacy", path: "/privacy"},
		{name: "report", path: "/report?project=harbor-k3x9p2"},
		{name: "report-wrong", path: "/report", form: form("form_token", "x", "project", "long-q7w2e5", "contact", "none", "reason", "other", "details", "It sends its players to another site."), status: http.StatusUnprocessableEntity},
		{name: "report-any", path: "/report"},
		{name: "report-nothing", path: "/report?project=https://elsewhere.example/login", status: http.StatusNotFound},
		{name: "reported", path: "/report", form: form("form_token", "x", "project", "harbor-k3x9p2", "reason", "other")},
		{name: "desk", path: "/desk", as: "mizu", before: (*world).moderated},
		{name: "desk-decided", path: "/desk?undo=1", as: "mizu", before: (*world).moderated, said: []any{"said.desk-take-down", "n", 3}},
		{name: "desk-none-chosen", path: "/desk", as: "mizu", before: (*world).moderated, form: form("action", "hold"), status: http.StatusUnprocessableEntity},
		{name: "desk-empty", path: "/desk", as: "mizu", before: func(w *world) { w.moderator() }},
		{name: "desk-case", path: "/desk/long-q7w2e5", as: "mizu", before: (*world).moderated, open: true},
		{name: "desk-case-arabic", path: "/desk/sand-c8d4f6", as: "mizu", before: (*world).moderated},
		{name: "desk-case-own", path: "/desk/tide-r5h2j9", as: "mizu", before: (*world).moderated},
		{name: "desk-hold", path: "/desk/harbor-k3x9p2?hold=1", as: "mizu", before: (*world).moderated},
		{name: "desk-source", path: "/desk/harbor-k3x9p2/source?file=index.html", as: "mizu", before: (*world).moderated},
		{name: "appeal", path: "/appeal/sand-c8d4f6", as: "noor", before: held(sandlot.HeldFields)},
		{name: "appeal-stranger", path: "/appeal/sand-c8d4f6", before: held(sandlot.HeldReports)},
		{name: "appeal-down", path: "/appeal/" + string(suspended), as: "ada"},
		{name: "object", path: "/object?code=contested", before: (*world).contested},
		{name: "object-wrong", path: "/object", form: form("code", "contested", "text", " "), before: (*world).contested, status: http.StatusUnprocessableEntity},
		{name: "object-sent", path: "/object", form: form("code", "contested", "text", "It is a game."), before: (*world).contested},
		{name: "object-over", path: "/object?code=used", status: http.StatusGone},
		{name: "verify", path: "/verify?token={claim}"},
		{name: "verify-nothing", path: "/verify?token={nothing}"},
		{name: "verify-no", path: "/verify/no", form: form("token", "{claim}")},
		{name: "verified", path: "/verify", form: form("token", "{claim}")},
		{name: "link-used-up", path: "/verify?token=bad", status: http.StatusGone},
		{name: "connect", path: connectPath},
		{name: "connect-login", path: connectPath, form: form("code", "{connect}")},
		{name: "connect-wrong", path: connectPath + "/login", form: form("code", "{connect}", "email", "nobody"), status: http.StatusUnprocessableEntity},
		{name: "connect-take", path: connectPath, as: "ada", form: form("code", "{connect}")},
		{name: "connect-over", path: connectPath, form: form("code", "slc_"), status: http.StatusGone},
		{name: "connect-device", path: connectPath, as: "ada", form: form("code", "{device}")},
		{name: "connect-device-over", path: connectPath, as: "ada", form: form("code", "BCDF-GHJK"), status: http.StatusGone},
		{name: "connect-done", path: connectPath + "/done", as: "ada", said: []any{"said.device-allowed"}},
		{name: "consent", path: "{consent}", as: "ada"},
		{name: "consent-project", path: "{consent}&scope=project", as: "long"},
		{name: "consent-typed", path: "{consent here}", as: "many", form: form("form_token", "x", "answer", "allow", "reach", "project", "project", ""), status: http.StatusUnprocessableEntity},
		{name: "consent-none", path: "{consent here}&scope=project", as: "new"},
		{name: "consent-wrong", path: "{consent here}", as: "ada", form: form("form_token", "x", "answer", "allow"), status: http.StatusUnprocessableEntity},
		{name: "consent-back", path: "{consent refused}", status: http.StatusBadRequest},
		{name: "consent-bad", path: authorizePath, status: http.StatusBadRequest},
		{name: "not-me", path: "/not-me?token={not-me-verify}"},
		{name: "not-me-login", path: "/not-me?token={not-me-login}"},
		{name: "not-me-notice", path: "/not-me?token={not-me-email-notice}"},
		{name: "not-me-stopped", path: "/not-me", form: form("token", "{not-me-verify}")},
		{name: "not-me-paused", path: "/not-me", form: form("token", "{not-me-login}")},
		{name: "not-me-undone", path: "/not-me/undo", form: form("token", "{not-me-verify}")},
		{name: "invitations", path: invitationsPath, as: "ada", before: (*world).operated},
		{name: "invitations-new", path: invitationsPath, as: "ada", form: form("form_token", "x", "days", "7", "projects", "3"), before: (*world).operated},
		{name: "invitations-wrong", path: invitationsPath, as: "ada", form: form("form_token", "x", "days", "x", "projects", ""), before: (*world).operated, status: http.StatusUnprocessableEntity},
		{name: "invitations-stale", path: invitationsPath, as: "stale", before: func(w *world) { w.in.Exec("UPDATE accounts SET role = 'operator'") }},
		{name: "invite", path: invitePath + "?token=" + lookedToken, before: (*world).invited},
		{name: "invite-wrong", path: invitePath, form: form("form_token", "x", "token", lookedToken, "handle", "", "email", "nowhere"), before: (*world).invited, status: http.StatusUnprocessableEntity},
		{name: "invite-done", path: invitePath, form: form("form_token", "x", "token", lookedToken, "handle", "", "email", "new@example.com"), before: (*world).invited, status: http.StatusCreated},
		{name: "invite-over", path: invitePath + "?token=bad", status: http.StatusGone},
		{name: "openid-over", path: OpenIDBack, status: http.StatusGone},
		{name: "openid-away", path: openIDPath, before: func(w *world) { w.school().away = true }, status: http.StatusServiceUnavailable},
		{name: "login-away", path: "/login", before: func(w *world) { w.school().away = true }},
		{name: "login", path: "/login"},
		{name: "login-wrong", path: "/login", form: form("email", "nobody"), status: http.StatusUnprocessableEntity},
		{name: "login-confirm", path: "/login?to=/account/keys", as: "stale"},
		{name: "login-code", path: "/login/code", login: "{here}"},
		{name: "login-code-wrong", path: "/login/code", form: form("code", "{wrong code}"), login: "{here}", status: http.StatusUnprocessableEntity},
		{name: "login-link", path: "/login/link?token={link}", login: "{here}"},
		{name: "login-elsewhere", path: "/login/link?token={link}", login: "there"},
		{name: "login-over", path: "/login/link?token=bad", login: "{here}", status: http.StatusGone},
		{name: "login-choose", path: "/login/choose", login: "{proved}"},
		{name: "login-https", path: "/login", plain: true, status: http.StatusForbidden},
		{name: "account", path: "/account", as: "ada"},
		{name: "account-claimed", path: "/account", as: "ada", before: (*world).named},
		{name: "account-none", path: "/account", as: "new"},
		{name: "sessions", path: "/account/sessions", as: "ada"},
		{name: "settings", path: "/account/settings", as: "ada"},
		{name: "settings-stale", path: "/account/settings", as: "stale"},
		{name: "settings-new", path: "/account/settings", as: "new"},
		{name: "settings-long", path: "/account/settings", as: "long"},
		{name: "settings-handle-wrong", path: "/account/settings/handle", as: "ada", form: form("handle", "!?"), status: http.StatusUnprocessableEntity},
		{name: "settings-handle-ask", path: "/account/settings/handle?handle=" + strings.ToUpper("z"+longHandle[1:]), as: "ada"},
		{name: "settings-email-wrong", path: "/account/settings/email", as: "ada", form: form("email", "nobody"), status: http.StatusUnprocessableEntity},
		{name: "delete", path: "/account/delete", as: "ada"},
		{name: "delete-wrong", path: "/account/delete", as: "long", form: form("handle", "somebody"), status: http.StatusUnprocessableEntity},
		{name: "deleted", path: "/account/delete", as: "ada", form: form("handle", "ada")},
		{name: "email", path: "/account/email?token={move}"},
		{name: "email-taken", path: "/account/email", form: form("token", "{move}")},
		{name: "undo", path: "/account/undo?token={undo}", as: "ada"},
		{name: "undone", path: "/account/undo", as: "ada", form: form("token", "{undo}")},
		{name: "keys", path: "/account/keys", as: "ada"},
		{name: "keys-stale", path: "/account/keys", as: "stale"},
		{name: "keys-none", path: "/account/keys", as: "new"},
		{name: "keys-projects", path: "/account/keys", as: "many"},
		{name: "keys-many", path: "/account/keys", as: "noor", form: form("form_token", "many", "project", "sand-c8d4f6", "name", "One more"), status: http.StatusUnprocessableEntity},
		{name: "key", path: "/account/keys", as: "ada", form: form("form_token", "new", "name", longLabel, "project", "harbor-k3x9p2")},
		{name: "key-again", path: "/account/keys", as: "ada", form: form("form_token", "again", "project", "wick-m4t8z1", "name", longLabel)},
		{name: "grant-end", path: "/account/keys/revoke?id={grant}", as: "ada"},
		{name: "key-revoke", path: "/account/keys/revoke?id={key}", as: "ada"},
		{name: "key-rotate", path: "/account/keys/rotate", as: "ada"},
		{name: "key-replace", path: "/account/keys/replace", as: "ada"},
		{name: "key-replaced", path: "/account/keys/replace", as: "ada", form: form("form_token", "new")},
		{name: "key-account", path: "/account/keys/rotate", as: "ada", form: form("form_token", "new")},
		{name: "own", path: own, as: "ada"},
		{name: "own-long", path: long, as: "long"},
		{name: "own-open", path: long, as: "long", open: true},
		{name: "own-many", path: "/account/projects/" + string(manyFiles), as: "ada"},
		{name: "own-many-next", path: "/account/projects/" + string(manyFiles) + "?in=assets/&after=" + url.QueryEscape(fileAt(99)), as: "ada"},
		{name: "own-folder", path: "/account/projects/" + string(manyFiles) + "?in=assets/", as: "ada"},
		{name: "own-find", path: "/account/projects/" + string(manyFiles) + "?q=png", as: "ada"},
		{name: "own-remove", path: own + "/remove?file=" + url.QueryEscape(longName), as: "ada"},
		{name: "own-move", path: own + "/move", as: "ada", form: form("file", "game.js", "to", "./"+longName, "form_token", "x")},
		{name: "own-said", path: own, as: "ada", said: []any{"said.moved", "from", "game.js", "to", longName}},
		{name: "own-suspended", path: other, as: "ada"},
		{name: "cover", path: own + "/cover", as: "ada"},
		{name: "cover-wrong", path: own + "/cover/choose", as: "ada", form: form("wish", "file", "file", "none.png"), status: http.StatusUnprocessableEntity},
		{name: "portrait", path: "/account/settings/portrait", as: "ada"},
		{name: "own-wrong", path: own, as: "ada", form: form("title", "Harbor Lights", "description", strings.Repeat("x", publish.MaxDescription+1)), status: http.StatusUnprocessableEntity},
		{name: "versions", path: own + "/versions", as: "ada"},
		{name: "diff", path: own + "/versions/22/diff?file=index.html", as: "ada"},
		{name: "diff-long", path: own + "/versions/22/diff?file=" + url.QueryEscape(longName), as: "ada"},
		{name: "statistics", path: "/account/projects/" + string(manyFiles) + "/statistics", as: "ada", open: true},
		{name: "statistics-year", path: "/account/projects/" + string(manyFiles) + "/statistics?days=400", as: "ada"},
		{name: "statistics-none", path: own + "/statistics", as: "ada"},
		{name: "own-players", path: own + "/players", as: "ada", open: true},
		{name: "own-board", path: own + "/boards/main", as: "ada"},
		{name: "own-board-wrong", path: own + "/boards/main", as: "ada", form: form("min", "x", "max", "", "min_seconds", "5"), status: http.StatusUnprocessableEntity},
		{name: "own-board-refuse", path: own + "/boards/main/refuse?player=0123456789&name=Mia", as: "ada"},
		{name: "erase", path: own + "/erase?n=3", as: "ada"},
		{name: "own-delete", path: own + "/delete", as: "ada"},
		{name: "own-delete-wrong", path: long + "/delete", as: "long", form: form("typed", "harbor"), status: http.StatusUnprocessableEntity},
		{name: "own-purge", path: "/account/projects/" + string(deletedOnce) + "/purge", as: "ada"},
		{name: "account-deleted", path: "/account", as: "ada", said: []any{"said.project-deleted", "name", string(deletedOnce), "date", "November 30, 2026"}},
		{name: "missing", path: "/p/none-abc123", status: http.StatusNotFound},
		{name: "too-many", path: "/p/harbor-k3x9p2/like", form: form("like", "1"), before: (*world).busy, status: http.StatusTooManyRequests},
		{name: "taken-down", path: "/p/" + string(suspended), status: http.StatusUnavailableForLegalReasons},
		{name: "taken-down-own", path: "/p/" + string(suspended), as: "ada", status: http.StatusUnavailableForLegalReasons},
		{name: "fault", path: "/p/harbor-k3x9p2", before: failing("Project", errors.New("broken on purpose")), status: http.StatusInternalServerError},
		{name: "later", path: "/p/harbor-k3x9p2", before: failing("Project", sandlot.ErrUnavailable), status: http.StatusServiceUnavailable},
		{name: "full", path: own + "/primary", as: "ada", form: form("file", "game.js", "form_token", "x"), before: failing("Rearrange", sandlot.NoEffect(sandlot.ErrFull)), status: http.StatusInsufficientStorage},
	}
}

func (l look) method() string {
	if l.form != nil {
		return "POST"
	}
	return "GET"
}

// TestEveryTemplateIsLookedAt finds pages that no look shows, though its route has others.
func TestEveryTemplateIsLookedAt(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	h := newHall(t)
	h.templates = template.New("").Funcs(templateFuncs).Funcs(template.FuncMap{"see": func(name string) string {
		seen[name] = true
		return ""
	}})
	names, err := fs.Glob(files, "templates/*.html")
	expect.OK(t, err)
	var whole []string
	for _, name := range names {
		source, err := files.ReadFile(name)
		expect.OK(t, err)
		name = path.Base(name)
		if name != "layout.html" && regexp.MustCompile(`{{template "(top|top-[a-z]+|head-open)"`).Match(source) {
			whole = append(whole, name)
			source = append([]byte(`{{see "`+name+`"}}`), source...)
		}
		template.Must(h.templates.New(name).Parse(string(source)))
	}
	for _, l := range looks() {
		l = h.open(t, l, "en")
		body, kind := io.Reader(strings.NewReader(l.form.Encode())), "application/x-www-form-urlencoded"
		if l.multi {
			body, kind = formed(l.form)
		}
		r := httptest.NewRequest(l.method(), l.path, body)
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if want := cmp.Or(l.status, http.StatusOK); w.Code != want {
			t.Errorf("%s is %d, not %d: %s", l.name, w.Code, want, w.Header().Get("Location"))
		}
	}
	for _, name := range whole {
		if !seen[name] {
			t.Errorf("no look shows %s", name)
		}
	}
}

// busy has no room for another like.
func (w *world) busy() {
	w.limits = admission.New(admission.Config{Likes: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
	request(w, "POST", likePath, "like=1")
}

// unconfirmed is ada before she has confirmed her address, with a project that she hides.
func (w *world) unconfirmed() {
	w.in.Exec("UPDATE accounts SET verified = 0 WHERE handle = 'ada'")
	expect.OK(w.t, w.db.Publish().SetDetails(w.t.Context(), harbor, publish.Details{Title: "Paper Boats", Unlisted: true}.Change()))
}

// lookedToken is the token of the link that invited makes.
const lookedToken = "look"

// invited makes an invitation for three projects.
func (w *world) invited() {
	i := operate.Invitation{Projects: 3, By: "@ada", MadeAt: w.now(), ExpiresAt: w.now().Add(time.Hour)}
	_, err := w.db.Operate().Invitations().AddInvitation(w.t.Context(), hash(lookedToken), i, sandlot.LogEntry{At: w.now(), Actor: sandlot.ActorOperator})
	expect.OK(w.t, err)
}

// operated makes ada an operator, with an invitation in each state.
func (w *world) operated() {
	w.in.Exec("UPDATE accounts SET role = 'operator' WHERE handle = 'ada'")
	by := w.owner("ada")
	for _, end := range []func(operate.Invitation, string){
		func(operate.Invitation, string) {},
		func(i operate.Invitation, _ string) { expect.OK(w.t, w.cfg.Invitations.End(w.t.Context(), by, i.ID)) },
		func(_ operate.Invitation, token string) {
			in := publish.SignupInput{Handle: longHandle, Email: "max@example.com", Invitation: token}
			must(w.service.Signup(w.t.Context(), sandlot.Caller{}, in))(w.t)
		},
	} {
		i, token, err := w.cfg.Invitations.Invite(w.t.Context(), by, operate.InviteInput{Projects: 1, Days: 2})
		expect.OK(w.t, err)
		end(i, token)
	}
}

// emptied keeps all projects out of the gallery.
func (w *world) emptied() { w.in.Exec("UPDATE projects SET listed = 0, unlisted = 1") }

// failing makes a step of the store fail.
func failing(step string, err error) func(*world) { return func(w *world) { w.fail(step, err) } }

// A hall is the pages of an exhibition, for one visitor after the other.
type hall struct {
	*exhibition
	templates *template.Template // in place of the pages' own; nil: those
	mu        sync.Mutex
	at        *world // the exhibition itself, or a copy that the visitor changes
	now       look
	lang      string
}

func newHall(t *testing.T, opts ...testworld.Option) *hall {
	e := newExhibition(t, opts...)
	return &hall{exhibition: e, at: e.world}
}

// open is done before the page of a look is asked for: from then on every request is its visitor's. It returns the look as it is here.
func (h *hall) open(t *testing.T, l look, lang string) look {
	t.Helper()
	l, at := h.find(l), h.world
	switch {
	case l.plain:
		at = h.copied(t, testworld.With(func(c *publish.Config) { c.Places.Base = &url.URL{Scheme: "http", Host: "192.0.2.1"} }))
	case l.form != nil || l.before != nil:
		at = h.copied(t)
	}
	if l.before != nil {
		l.before(at)
	}
	if h.templates != nil {
		at.templates = h.templates
	}
	h.enter(at, l, lang)
	t.Cleanup(func() { h.enter(h.world, l, lang) })
	return l
}

func (h *hall) enter(at *world, l look, lang string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at, h.now, h.lang = at, l, lang
}

func (h *hall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	at, now, lang := h.at, h.now, h.lang
	h.mu.Unlock()
	r.RemoteAddr = someone + ":1234" // this machine has no limits
	r.Header.Set("Accept-Language", lang)
	r.Header.Del("Cookie")
	said := ""
	if now.said != nil {
		said = saidValue(now.said)
	}
	for name, value := range map[string]string{cookieName: now.as, loginCookie: now.login, saidCookie: said} {
		if value != "" {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	at.ServeHTTP(w, r)
}
