package web

import (
	"cmp"
	"context"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/publish"
)

// A look is one page in one state, as somebody comes to see it.
type look struct {
	name, path string
	as         string     // whose login; empty: nobody's
	form       url.Values // sent from a page of the site; nil: the page is opened
	said       []any      // what the form before did
	login      string     // the browser that a login was asked for in
	status     int        // 0: 200
	plain      bool       // on a site without TLS
	open       bool       // what can be unfolded is
}

// looks are all pages in all states that look different.
func looks() []look {
	const own, other, long = "/account/projects/harbor-k3x9p2", "/account/projects/tide-r5h2j9", "/account/projects/long-q7w2e5"
	form := func(pairs ...string) url.Values {
		values := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return values
	}
	return []look{
		{name: "home", path: "/"},
		{name: "home-played", path: "/?sort=played"},
		{name: "home-live-none", path: "/?sort=live"},
		{name: "home-next", path: "/?sort=newest&after=2a"},
		{name: "home-found", path: "/?q=harbor"},
		{name: "home-found-none", path: "/?q=" + strings.Repeat("zyx", 30)},
		{name: "home-known", path: "/", as: "long"},
		{name: "profile", path: "/@ada"},
		{name: "profile-long", path: "/@" + longHandle},
		{name: "profile-none", path: "/@nobody"},
		{name: "project", path: "/p/harbor-k3x9p2"},
		{name: "project-long", path: "/p/long-q7w2e5"},
		{name: "project-japanese", path: "/p/tide-r5h2j9"},
		{name: "project-arabic", path: "/p/sand-c8d4f6"},
		{name: "project-untitled", path: "/p/untitled-b6n1v3"},
		{name: "project-open", path: "/p/harbor-k3x9p2", open: true},
		{name: "embed", path: "/embed/harbor-k3x9p2"},
		{name: "embed-long", path: "/embed/long-q7w2e5"},
		{name: "report", path: "/report?project=harbor-k3x9p2"},
		{name: "report-wrong", path: "/report", form: form("project", "long-q7w2e5", "contact", "none", "reason", "other", "details", "It sends its players to another site."), status: http.StatusUnprocessableEntity},
		{name: "reported", path: "/report", form: form("project", "harbor-k3x9p2", "reason", "other")},
		{name: "verify", path: "/verify?token=good"},
		{name: "verify-nothing", path: "/verify?token=new"},
		{name: "verify-no", path: "/verify/no", form: form("token", "good")},
		{name: "verified", path: "/verify", form: form("token", "good")},
		{name: "link-used-up", path: "/verify?token=bad", status: http.StatusGone},
		{name: "not-me", path: "/not-me?token=verify"},
		{name: "not-me-login", path: "/not-me?token=login"},
		{name: "not-me-notice", path: "/not-me?token=email-notice"},
		{name: "not-me-stopped", path: "/not-me", form: form("token", "verify")},
		{name: "not-me-paused", path: "/not-me", form: form("token", "login")},
		{name: "not-me-undone", path: "/not-me/undo", form: form("token", "verify")},
		{name: "login", path: "/login"},
		{name: "login-wrong", path: "/login", form: form("email", "nobody"), status: http.StatusUnprocessableEntity},
		{name: "login-confirm", path: "/login?to=/account/keys", as: "stale"},
		{name: "login-code", path: "/login/code", login: "here"},
		{name: "login-code-wrong", path: "/login/code", form: form("code", "123456"), login: "here", status: http.StatusUnprocessableEntity},
		{name: "login-link", path: "/login/link?token=good", login: "here"},
		{name: "login-elsewhere", path: "/login/link?token=good", login: "there"},
		{name: "login-over", path: "/login/link?token=bad", login: "here", status: http.StatusGone},
		{name: "login-choose", path: "/login/choose", login: "here"},
		{name: "login-https", path: "/login", plain: true, status: http.StatusForbidden},
		{name: "account", path: "/account", as: "ada"},
		{name: "account-none", path: "/account", as: "new"},
		{name: "sessions", path: "/account/sessions", as: "ada"},
		{name: "settings", path: "/account/settings", as: "ada"},
		{name: "settings-stale", path: "/account/settings", as: "stale"},
		{name: "settings-new", path: "/account/settings", as: "new"},
		{name: "settings-long", path: "/account/settings", as: "long"},
		{name: "settings-handle-wrong", path: "/account/settings/handle", as: "ada", form: form("handle", "!?"), status: http.StatusUnprocessableEntity},
		{name: "settings-handle-ask", path: "/account/settings/handle?handle=Somebody", as: "ada"},
		{name: "settings-email-wrong", path: "/account/settings/email", as: "ada", form: form("email", "nobody"), status: http.StatusUnprocessableEntity},
		{name: "delete", path: "/account/delete", as: "ada"},
		{name: "delete-wrong", path: "/account/delete", as: "long", form: form("handle", "somebody"), status: http.StatusUnprocessableEntity},
		{name: "deleted", path: "/account/delete", as: "ada", form: form("handle", "ada")},
		{name: "email", path: "/account/email?token=good"},
		{name: "email-taken", path: "/account/email", form: form("token", "good")},
		{name: "undo", path: "/account/undo?token=good", as: "ada"},
		{name: "undone", path: "/account/undo", as: "ada", form: form("token", "good")},
		{name: "keys", path: "/account/keys", as: "ada"},
		{name: "keys-stale", path: "/account/keys", as: "stale"},
		{name: "keys-none", path: "/account/keys", as: "new"},
		{name: "keys-projects", path: "/account/keys", as: "many"},
		{name: "keys-many", path: "/account/keys", as: "ada", form: form("nonce", "many", "project", "harbor-k3x9p2", "name", "One more"), status: http.StatusUnprocessableEntity},
		{name: "key", path: "/account/keys", as: "ada", form: form("nonce", "new", "name", strings.Repeat("Nachtarbeit", 9), "project", "harbor-k3x9p2")},
		{name: "key-again", path: "/account/keys", as: "ada", form: form("nonce", "again", "project", "harbor-k3x9p2", "name", "Level designer")},
		{name: "key-revoke", path: "/account/keys/revoke?id=2", as: "ada"},
		{name: "key-rotate", path: "/account/keys/rotate", as: "ada"},
		{name: "key-replace", path: "/account/keys/replace", as: "ada"},
		{name: "key-replaced", path: "/account/keys/replace", as: "ada", form: form("nonce", "new")},
		{name: "key-account", path: "/account/keys/rotate", as: "ada", form: form("nonce", "new")},
		{name: "own", path: own, as: "ada"},
		{name: "own-long", path: long, as: "long"},
		{name: "own-open", path: long, as: "ada", open: true},
		{name: "own-many", path: "/account/projects/" + string(manyFiles), as: "ada"},
		{name: "own-many-next", path: "/account/projects/" + string(manyFiles) + "?after=" + url.QueryEscape(fileAt(194)), as: "ada"},
		{name: "own-remove", path: own + "/remove?file=" + url.QueryEscape(longName), as: "ada"},
		{name: "own-move", path: own + "/move", as: "ada", form: form("file", "game.js", "to", "./"+longName, "once", "x")},
		{name: "own-said", path: own, as: "ada", said: []any{"said.moved", "from", "game.js", "to", longName}},
		{name: "own-suspended", path: other, as: "ada"},
		{name: "own-wrong", path: own, as: "ada", form: form("title", "Harbor Lights", "description", ""), status: http.StatusUnprocessableEntity},
		{name: "versions", path: own + "/versions", as: "ada"},
		{name: "erase", path: own + "/erase?n=3", as: "ada"},
		{name: "own-delete", path: own + "/delete", as: "ada"},
		{name: "own-delete-wrong", path: long + "/delete", as: "ada", form: form("typed", "harbor"), status: http.StatusUnprocessableEntity},
		{name: "missing", path: "/p/none-abc123", status: http.StatusNotFound},
		{name: "too-many", path: "/p/busy-a1a1a1", status: http.StatusTooManyRequests},
		{name: "taken-down", path: "/p/down-a1a1a1", status: http.StatusUnavailableForLegalReasons},
		{name: "fault", path: "/p/broken-a1a1a1", status: http.StatusInternalServerError},
		{name: "later", path: "/p/later-a1a1a1", status: http.StatusServiceUnavailable},
		{name: "full", path: "/p/full-a1a1a1", status: http.StatusInsufficientStorage},
	}
}

// unseen are the routes that show no page of their own: what pages load, and forms
// that lead to another page or back to the one they are on.
var unseen = []string{
	"GET /static/{file...}", "GET /favicon.ico", "GET /", "GET /p/{id}/card.png", "GET /p/{id}/code.svg", "GET /oembed",
	"GET /p/{id}/live", "GET /p/{id}/counts", "POST /p/{id}/heartbeat", "POST /p/{id}/like",
	"POST /login/link", "POST /login/choose", "POST /logout", "POST /account/sessions", "POST /account/settings/language",
	"GET /account/export", "POST /account/settings/email/withdraw", "POST /account/keys/revoke",
	"GET /account/projects/{id}/download", "POST /account/projects/{id}/files", "POST /account/projects/{id}/remove",
	"POST /account/projects/{id}/primary", "POST /account/projects/{id}/restore", "POST /account/projects/{id}/erase",
}

// TestEveryRouteIsLookedAtOrShowsNoPage fails for a new route until somebody has
// said which it is.
func TestEveryRouteIsLookedAtOrShowsNoPage(t *testing.T) {
	p := house(t)
	mux := http.NewServeMux()
	var routes []string
	for _, r := range p.routes() {
		routes = append(routes, r.method+" "+r.path)
		mux.Handle(r.method+" "+r.path, http.NotFoundHandler())
	}
	seen := map[string]bool{}
	for _, l := range looks() {
		_, pattern := mux.Handler(httptest.NewRequest(l.method(), l.path, nil))
		seen[pattern] = true
	}
	for _, route := range routes {
		if seen[route] == slices.Contains(unseen, route) {
			t.Errorf("%s is in both lists, looks and unseen, or in none", route)
		}
	}
	for _, route := range unseen {
		if !slices.Contains(routes, route) {
			t.Errorf("there is no %s", route)
		}
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
	seen := map[string]bool{}
	h := newHall()
	h.pages.templates = template.New("").Funcs(template.FuncMap{"asset": h.pages.assetURL, "see": func(name string) string {
		seen[name] = true
		return ""
	}})
	h.insecure.templates = h.pages.templates
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	var whole []string
	for _, name := range names {
		source, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name = path.Base(name)
		if name != "layout.html" && regexp.MustCompile(`{{template "(top|head-open)"`).Match(source) {
			whole = append(whole, name)
			source = append([]byte(`{{see "`+name+`"}}`), source...)
		}
		template.Must(h.pages.templates.New(name).Parse(string(source)))
	}
	for _, l := range looks() {
		h.open(l, "en")
		r := httptest.NewRequest(l.method(), l.path, strings.NewReader(l.form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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

// A hall is the pages of an exhibit, for one visitor after the other.
type hall struct {
	pages, insecure *Pages // the second without TLS
	mu              sync.Mutex
	now             look
	lang            string
}

func newHall() *hall { return hallAt(&url.URL{Scheme: "https", Host: "example.com"}) }

// hallAt is one whose pages are at a base.
func hallAt(base *url.URL) *hall {
	of := func(base *url.URL) *Pages {
		return New(Config{
			Service: exhibit{}, Sessions: exhibit{}, Account: exhibit{}, Logins: exhibit{}, Gallery: exhibit{}, Reports: exhibit{}, Places: publish.Places{Base: base, Content: base.Host}, Log: slog.New(slog.DiscardHandler),
			RequestID: func(context.Context) string { return "01JCM3V5Q8W7KX2N4T6Y9Z0ABC" }, VisitorID: byAddress,
		})
	}
	return &hall{pages: of(base), insecure: of(&url.URL{Scheme: "http", Host: "192.0.2.1"})}
}

// open is done before the page of a look is asked for: from then on whoever comes is its visitor.
func (h *hall) open(l look, lang string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now, h.lang = l, lang
}

func (h *hall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	now, lang := h.now, h.lang
	h.mu.Unlock()
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
	if now.plain {
		h.insecure.ServeHTTP(w, r)
		return
	}
	h.pages.ServeHTTP(w, r)
}
