package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/intake"
)

// A person is an account with a login in one browser.
type person struct {
	account sandlot.Account
	session string // the cookie's token
	other   int64  // the session of another browser
	project sandlot.ProjectID
	key     int64 // of the project
}

// A world is the pages on a testworld.World, with two people.
type world struct {
	*Pages
	cfg      Config
	t        *testing.T
	in       *testworld.World
	service  *publish.Service
	account  *account.Service
	gallery  *gallery.Service
	db       *sqlstore.DB
	disk     *blob.Disk
	kim, lee person
	browser  string // of a login that is under way
}

func (w *world) now() time.Time { return w.in.Now() }

func (w *world) later(d time.Duration) { w.in.Clock.Move(d) }

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		expect.OK(t, err)
		return v
	}
}

// newWorld is a world with kim and lee.
func newWorld(t *testing.T, opts ...testworld.Option) *world {
	t.Helper()
	opts = append([]testworld.Option{testworld.With(func(c *publish.Config) { c.Places = webPlaces() })}, opts...)
	w := pagesOn(t, testworld.New(t, opts...))
	w.kim, w.lee = w.person("kim"), w.person("lee")
	return w
}

// copies returns what makes worlds as newWorld does, in less time.
func copies(t *testing.T) func(*testing.T) *world {
	t.Helper()
	first := newWorld(t)
	return func(t *testing.T) *world {
		next := pagesOn(t, first.in.Copy(t))
		next.kim, next.lee = first.kim, first.lee
		return next
	}
}

func webPlaces() sandlot.Places {
	return sandlot.Places{Base: &url.URL{Scheme: "https", Host: "example.com"}, Content: "example.net"}
}

// pagesOn are the pages of a world in which nobody is known.
func pagesOn(t *testing.T, in *testworld.World) *world {
	t.Helper()
	w := &world{t: t, in: in, service: in.Publish, account: in.Account, gallery: in.Gallery, db: in.DB, disk: in.Disk}
	w.cfg = Config{
		Intake:  intake.New(intake.Intake{Contents: w.service.Contents, Places: in.Config.Places}),
		Docs:    guide.New(guide.Config{OpenAPI: api.Document(), Places: in.Config.Places}).Page,
		Service: w.service, Reader: w.service.Reader, Keyring: w.service.Keyring, Trash: w.service.Trash, Contents: w.service.Contents,
		Sessions: in.Callers, Account: in.Account, Logins: in.Account.Logins, People: account.NewProfiles(w.db.People()), Gallery: w.gallery,
		Players: in.Runtime.Players, Boards: in.Runtime.Boards, Faults: in.Runtime.Faults,
		Figures: in.Figures, Trials: in.Trials, Covers: in.Covers, Desk: in.Desk, Listed: &listed.Service{Store: in.Served.Operate().Sightings()}, Places: in.Config.Places, Papers: papers(t), Log: in.Log,
		Reports: must(operate.New(t.Context(), operate.Config{}, w.db.Operate(), operate.WithClock(w.now)))(t), Archive: archived,
		Connect:     w.in.Connect,
		OAuth:       w.in.OAuth,
		Invitations: must(operate.NewInvitations(t.Context(), w.db.Operate().Invitations(), nil, w.now))(t),
		OpenID:      openIDOf(t, w),
		RequestID:   func(context.Context) string { return "REQUEST" }, VisitorID: byAddress, Now: w.now,
	}
	w.Pages = New(w.cfg)
	t.Cleanup(func() { w.Close() })
	return w
}

// change makes the pages anew, of something else.
func (w *world) change(to func(*Config)) {
	w.Close()
	to(&w.cfg)
	w.Pages = New(w.cfg)
}

// person signs up, opens the link of the message, and publishes a project in three versions.
func (w *world) person(name string) (p person) {
	t, ctx := w.t, w.t.Context()
	t.Helper()
	out := must(w.service.Signup(ctx, sandlot.Caller{}, publish.SignupInput{Handle: name, Email: name + "@mail.internal"}))(t)
	p.account = must(w.account.Verify(ctx, sandlot.Caller{}, w.token("/verify")))(t)
	by := must(w.in.Callers.Identify(ctx, sandlot.Presented{Key: out.Key}, sandlot.Sender{Network: "192.0.2.1"}))(t)
	made, _, err := w.service.Publish(ctx, by, publish.PublishInput{Content: w.stage("<!doctype html><p>" + name)})
	expect.OK(t, err)
	p.project = made.Project.ID
	p.session = "session-of-" + name
	w.session(p.account.ID, p.session)
	me := w.owner(p.session)
	for n, text := range []string{"one", "two"} {
		files := []testworld.File{{Name: "a.js", Content: w.stage(text)}}
		expect.OK(t, testworld.PutFiles(ctx, w.service, me, p.project, files, publish.Form{Token: fmt.Sprint(n)}))
	}
	_, err = w.service.Keyring.MintKey(ctx, me, publish.NewKey{Project: p.project, Name: "agent", Form: "n"})
	expect.OK(t, err)
	keys, _, err := w.service.Keyring.Keys(ctx, me, 0)
	expect.OK(t, err)
	p.key = keys[0].ID
	p.other = w.session(p.account.ID, "another-session-of-"+name)
	return p
}

// owner is the caller of a login with this token.
func (w *world) owner(token string) sandlot.Caller {
	w.t.Helper()
	return must(w.in.Callers.Identify(w.t.Context(), sandlot.Presented{Session: token}, sandlot.Sender{Network: "192.0.2.1"}))(w.t)
}

func (w *world) session(id sandlot.AccountID, token string, agent ...string) int64 {
	w.t.Helper()
	at := w.now()
	s := sandlot.Session{Account: id, Agent: strings.Join(agent, " "), CreatedAt: at, ProvedAt: at, SeenAt: at, ExpiresAt: at.Add(100 * time.Hour)}
	return must(w.db.Account().AddSession(w.t.Context(), hash(token), s))(w.t)
}

func (w *world) stage(text string) publish.Content { w.t.Helper(); return w.in.Stage(text) }

// token sends what is due, and returns the token of the last message with a link to that path.
func (w *world) token(path string) string { w.t.Helper(); return w.in.Token(path) }

// post sends a form from kim's browser, which has asked for a login, too.
func (w *world) post(path string, body io.Reader, kind string) *http.Response {
	r := httptest.NewRequest("POST", "https://example.com"+path, body)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Cookie", cookieName+"="+w.kim.session+"; "+loginCookie+"="+w.browser)
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer.Result()
}

const urlencoded = "application/x-www-form-urlencoded"

func (w *world) send(path string, f url.Values) *http.Response {
	return w.post(path, strings.NewReader(f.Encode()), urlencoded)
}

// multi is a form with files, as browsers send it: "files" holds names, and each file its name.
func multi(f url.Values) (*bytes.Buffer, string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, name := range []string{"form_token", "folder"} {
		for _, v := range f[name] {
			_ = m.WriteField(name, v)
		}
	}
	for _, v := range f["files"] {
		part, _ := m.CreateFormFile("files", v)
		_, _ = io.WriteString(part, v)
	}
	_ = m.Close()
	return &b, m.FormDataContentType()
}

// kept is all that is recorded: each row of each table.
func (w *world) kept() map[string][]string { w.t.Helper(); return w.in.Rows() }

// written is a number that every commit changes.
func (w *world) written() string { w.t.Helper(); return w.in.Written() }

// sizes are how many rows each table has.
func sizes(kept map[string][]string) map[string]int {
	out := map[string]int{}
	for name, rows := range kept {
		out[name] = len(rows)
	}
	return out
}

func hash(token string) sandlot.Digest { return sha256.Sum256([]byte(token)) }
