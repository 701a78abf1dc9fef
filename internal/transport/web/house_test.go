package web

import (
	"errors"
	"fmt"
	"html"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const (
	gameID = sandlot.ProjectID("game-abc123")
	bareID = sandlot.ProjectID("bare-abc123")
	// hostile is a title that is an attack.
	hostile = `<script>"pong"`
)

// home is the pages of a world with kim, who has published nothing. She once was called lee, speaks French and is logged in where the cookie is
// "kim" (the session 1) and in a Firefox (2).
func home(t *testing.T, opts ...testworld.Option) *world {
	t.Helper()
	opts = append([]testworld.Option{testworld.With(func(c *publish.Config) { c.Places = webPlaces() })}, opts...)
	w := pagesOn(t, testworld.New(t, opts...))
	ctx := t.Context()
	must(w.service.Signup(ctx, testworld.Nobody(), publish.SignupInput{Handle: "lee", Email: "kim@mail.internal", Lang: "fr"}))(t)
	w.kim.account = must(w.account.Verify(ctx, testworld.Nobody(), w.token("/verify")))(t)
	w.kim.session = "kim"
	w.session(w.kim.account.ID, "kim", "<b>curl")
	w.session(w.kim.account.ID, "firefox", firefox)
	must(w.account.Rename(ctx, w.owner("kim"), "kim"))(t)
	return w
}

// house is a home that is lived in: kim has published game-abc123, with a hostile title, three versions and a key, and before it bare-abc123,
// which has no title.
func house(t *testing.T, opts ...testworld.Option) *world {
	t.Helper()
	w := home(t, opts...)
	w.add(bareID, publish.NewProject{Account: w.kim.account.ID})
	w.later(time.Second)
	w.add(gameID, publish.NewProject{Account: w.kim.account.ID, Title: hostile})
	for n, text := range []string{"one", "two"} {
		w.later(time.Second)
		w.put(gameID, n+1, "<b>.js", text)
	}
	return w
}

// fill adds n projects of kim's, with that title.
func (w *world) fill(n int, title string) (ids []sandlot.ProjectID) {
	w.t.Helper()
	for i := range n {
		id := sandlot.ProjectID(fmt.Sprintf("more-%06d", i))
		w.add(id, publish.NewProject{Account: w.kim.account.ID, Title: title})
		ids = append(ids, id)
	}
	return ids
}

// claim signs an account up, and returns the token of the message that asks whether the address is theirs.
func (w *world) claim(handle, address string) string {
	w.t.Helper()
	must(w.service.Signup(w.t.Context(), testworld.Nobody(), publish.SignupInput{Handle: handle, Email: address}))(w.t)
	return w.token("/verify")
}

// accountOf is the account with a handle.
func (w *world) accountOf(handle string) (id sandlot.AccountID) {
	w.t.Helper()
	_, err := fmt.Sscan(strings.Join(w.in.Query("SELECT id FROM accounts WHERE handle = ?", handle), " "), &id)
	expect.OK(w.t, err)
	return id
}

// moved gives kim's account the address that it proposes, and returns the token that takes the one before back.
func (w *world) moved() string {
	w.t.Helper()
	must(w.account.TakeEmail(w.t.Context(), sandlot.Caller{}, w.propose()))(w.t)
	return w.token("/account/undo")
}

// suspend takes a project down.
func (w *world) suspend(id sandlot.ProjectID) {
	w.t.Helper()
	err := w.db.Operate().Suspend(w.t.Context(), sandlot.Subject{Project: id}, sandlot.LogEntry{At: w.now(), Reason: "a report"})
	expect.OK(w.t, err)
}

// fail makes that step of the store fail from now on.
func (w *world) fail(step string, err error) {
	w.in.Faults.Step = func(at string) (before, after error) {
		if at == step {
			before = err
		}
		return before, nil
	}
}

// next is where the page leads on to.
func next(t *testing.T, body string) string {
	t.Helper()
	found := leadsOn.FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("it leads nowhere: %s", body)
	}
	return html.UnescapeString(found[1])
}

var leadsOn = regexp.MustCompile(`href="([^"]*after=[^"]+)"`)

// add records a project of that name, with one page.
func (w *world) add(id sandlot.ProjectID, np publish.NewProject) sandlot.Project {
	w.t.Helper()
	np.ID, np.Suffix, np.CreatedAt = id, "0123456789", w.now()
	np.Files, np.Primary = []sandlot.File{fileOf("index.html", "<!doctype html><p>")}, "index.html"
	np.Key = sandlot.Key{Hash: hash("key of " + string(id)), Name: "<b>agent", LastFour: "Ab12", CreatedAt: w.now()}
	return must(w.db.Publish().CreateProject(w.t.Context(), np))(w.t)
}

// put records the version after n.
func (w *world) put(id sandlot.ProjectID, n int, name, text string) sandlot.Project {
	w.t.Helper()
	p, err := w.db.Publish().PutFile(w.t.Context(), id, fileOf(name, text), publish.Edit{At: w.now(), Expect: n, Suffix: "0123456789"})
	return must(p, err)(w.t)
}

// rearrange records the version after n.
func (w *world) rearrange(id sandlot.ProjectID, n int, c publish.Change) sandlot.Project {
	w.t.Helper()
	p, err := w.db.Publish().Rearrange(w.t.Context(), id, c, publish.Edit{At: w.now(), Expect: n, Suffix: "0123456789"})
	return must(p, err)(w.t)
}

// describe records what kim says of the game.
func (w *world) describe(d publish.Details) {
	w.t.Helper()
	err := w.db.Publish().SetDetails(w.t.Context(), gameID, d.Change())
	expect.OK(w.t, err)
}

// state is what the game is now: its version, primary file, files, erased versions and details.
func (w *world) state() string {
	w.t.Helper()
	p, err := w.db.Publish().Project(w.t.Context(), gameID)
	if errors.Is(err, sandlot.ErrNotFound) {
		return "gone"
	}
	var files, erased []string
	for _, f := range must(w.db.Publish().Files(w.t.Context(), gameID, p.Version))(w.t) {
		files = append(files, f.Name)
	}
	for _, v := range must(w.db.Publish().Versions(w.t.Context(), gameID, 0, p.Version))(w.t) {
		if v.Erased {
			erased = append(erased, fmt.Sprint(v.N))
		}
	}
	return fmt.Sprint(p.Version, " ", p.Primary, " ", files, erased, must(w.db.Publish().Details(w.t.Context(), gameID))(w.t))
}

func fileOf(name, text string) sandlot.File {
	return sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Size: int64(len(text)), SHA256: hash(text), Text: true, Inline: []byte(text)}}
}

// count gives a project plays, likes and players.
func (w *world) count(id sandlot.ProjectID, plays, likes int64, players int) {
	w.t.Helper()
	_, err := w.db.Gallery().AddCounts(w.t.Context(), map[sandlot.ProjectID]gallery.Counts{id: {Plays: plays, Likes: likes}})
	expect.OK(w.t, err)
	for i := range players {
		expect.OK(w.t, w.in.Live.Touch(w.t.Context(), id, gallery.PlayerID(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}).String()), w.now()))
	}
}
