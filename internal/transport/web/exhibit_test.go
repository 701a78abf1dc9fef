package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// What is hard to show: as long as it may be, and nowhere to break.
var (
	longTitle  = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihungsurkunde" + strings.Repeat("!", 124)
	longHandle = strings.Repeat("abcdefgh_", 5)[:40]
	longName   = "assets/" + strings.Repeat("sprites/", 5) + "theverylongnameofafilethatnobodywouldtype-0001.webp"
	longMail   = strings.Repeat("n", 64) + "@" + strings.Repeat("mailboxes.", 5) + "example.com"
	longLabel  = strings.Repeat("Nachtarbeit", 9)
)

// What is written from right to left, and ends in a sign that stands on its left.
const (
	arabicName  = "صور/سماء الليل 2.png"
	arabicWords = "ابنِ قلعة من الرمال قبل أن يأتي المد! 3 مراحل و10 أبراج، ولا وقت للراحة: الموج لا ينتظر أحدا على هذا الشاطئ!\n\nArrow keys or touch; the tide is yours.\nהחצים או מגע!"
	hebrewWords = "מפתח לבניית לילה 3!"
)

// shown is the time of most events that pages show.
var shown = time.Date(2026, 11, 9, 14, 5, 0, 0, time.UTC)

// exhibits are the projects: the first is an ordinary one.
var exhibits = []struct {
	id                    sandlot.ProjectID
	owner, title, lang    string
	description           string
	plays, likes, players int
}{
	{id: "harbor-k3x9p2", title: "Harbor Lights", owner: "ada", description: "Guide the boats home before the fog comes in.\n\nArrow keys or touch. The lighthouse is yours. Its story: https://example.org/harbor/lights?from=the+lighthouse&to=every-boat.", plays: 12345, likes: 678, players: 3},
	{id: "wick-m4t8z1", title: "Wick", owner: "ada", plays: 1, likes: 1},
	{id: "long-q7w2e5", title: longTitle, owner: longHandle, description: strings.Repeat("Straßenverkehrszulassungsordnung", 6) + "\n" + strings.Repeat("Words and words. ", 40) + "https://" + strings.Repeat("a-very-long-host.", 9) + "example/" + longName, plays: 1_234_567_890, likes: 12_345_678, players: 200},
	{id: "untitled-b6n1v3", owner: "grace_hopper"},
	{id: "tide-r5h2j9", title: "潮だまりの小さな生きものたちをさがしに行こう", lang: "ja", owner: "mizu", plays: 204, likes: 17},
	{id: "sand-c8d4f6", title: "قلعة الرمال على شاطئ البحر", lang: "ar", owner: "noor", description: arabicWords + "\nhttps://example.org/رمل/قلعة", plays: 12345, likes: 678, players: 3},
	{id: "runnel-x2y7a4", title: "Runnel: a small game of water, patience and gravity", owner: "ada", plays: 1, likes: 1},
	{id: "i-p1s6g8", title: "I", owner: "linus"}, // as narrow as a link can be
	{id: "orbit-t9u3k7", title: "Orbit Keeper", owner: "grace_hopper", plays: 204, likes: 17},
	{id: "light-h7d3k9", title: "מגדל האור 2048 (גרסה 2.0): משחק על ים, רוח וסבלנות!", lang: "he", owner: "noor", description: arabicWords},
}

const (
	harbor    = sandlot.ProjectID("harbor-k3x9p2")
	manyFiles = sandlot.ProjectID("runnel-x2y7a4") // as many as an exported game has
	suspended = sandlot.ProjectID("gone-h8k2m4")

	deletedOnce = sandlot.ProjectID("harbor-v2n8c5") // its owner can take it back
)

// fileAt is the name of one of many files.
func fileAt(i int) string { return fmt.Sprintf("assets/%03d-%x.png", i, i*i*7919) }

// An exhibition is a world in which every page finds something to show, at its most ordinary and at its most difficult: nothing at all, much
// of it, long words without a place to break, scripts of the world. Each way to log in is there, as far as one may come.
type exhibition struct {
	*world
	named map[string]string // what looks write in braces: tokens, ids and codes
}

func newExhibition(t *testing.T, opts ...testworld.Option) *exhibition {
	t.Helper()
	e := &exhibition{pagesOn(t, testworld.New(t, append([]testworld.Option{testworld.With(func(c *publish.Config) { c.Places = webPlaces() })}, opts...)...)), map[string]string{}}
	e.later(shown.AddDate(0, 0, -33).Sub(e.now()))
	e.makers()
	e.projects()
	e.sessions()
	e.files()
	e.keys()
	e.messages()
	e.grants()
	e.remembered()
	return e
}

// makers are accounts, most of which have an address. Ada's was verified an hour later than the others'.
func (e *exhibition) makers() {
	e.t.Helper()
	for _, handle := range []string{longHandle, "stocked", "quiet-harbor"} {
		e.another(handle, longMail)
		e.later(24 * time.Hour) // a mailbox gets so many messages a day
	}
	ada := e.claim("ada", "first@example.com")
	for _, handle := range []string{"grace_hopper", "mizu", "noor", "linus"} {
		e.another(handle, handle+"@example.com")
	}
	must(e.service.Signup(e.t.Context(), testworld.Nobody(), publish.SignupInput{Handle: "quiet-meadow"}))(e.t)
	e.later(time.Hour)
	must(e.account.Verify(e.t.Context(), testworld.Nobody(), ada))(e.t)
	e.later(-time.Hour)
}

// stock adds n projects with the titles of the exhibits.
func (e *exhibition) stock(n int, handle string) {
	e.t.Helper()
	for i := range n {
		like := exhibits[i%len(exhibits)]
		e.add(sandlot.ProjectID(fmt.Sprintf("%.5s-%06d", handle, i)), publish.NewProject{Account: e.accountOf(handle), Title: like.title, Described: publish.Described{Lang: like.lang}})
	}
}

// projects are those of the makers, with plays on thirty days.
func (e *exhibition) projects() {
	e.t.Helper()
	e.stock(15, "stocked")
	e.stock(48, "ada")
	e.add(suspended, publish.NewProject{Account: e.accountOf("ada"), Title: exhibits[4].title, Described: publish.Described{Lang: "ja"}})
	e.suspend(suspended)
	for _, p := range exhibits {
		e.later(time.Second)
		e.add(p.id, publish.NewProject{Account: e.accountOf(p.owner), Title: p.title, Described: publish.Described{Lang: p.lang}})
		if err := e.db.Publish().SetDetails(e.t.Context(), p.id, publish.Details{Title: p.title, Description: p.description}.Change()); err != nil {
			e.t.Fatal(err)
		}
	}
	e.later(-time.Duration(len(exhibits)) * time.Second)
	for _, p := range exhibits {
		e.count(p.id, int64(p.plays), int64(p.likes), 0)
	}
	for day := range 30 {
		plays := map[sandlot.ProjectID]gallery.Counts{}
		for i, p := range exhibits {
			n := (day*day*(i+3) + 7*day) % 41 * (i % 4)
			plays[p.id] = gallery.Counts{Plays: int64(n), Figures: figuresOf(day, n)}
		}
		_, err := e.db.Gallery().AddCounts(e.t.Context(), plays)
		expect.OK(e.t, err)
		e.later(24 * time.Hour)
	}
	for _, p := range exhibits {
		e.count(p.id, 0, 0, p.players)
	}
	e.trash(deletedOnce, longTitle)
	e.trash("mosaic-h4m7s2", "Mosaic")
}

// figuresOf are plays of a day by some players, of some versions, from some sites.
func figuresOf(day, plays int) (a figures.Added) {
	sites := []string{"", "", "news.example.com", "games.example.org", "a-very-long-name-of-a-host-that-somebody-really-has.example.co.uk"}
	for i := range plays {
		a.Play(1+day/11, fmt.Sprint(i/2), sites[i%(1+day%len(sites))])
		a.Length(1+day/11, time.Duration(day*20+i*7)*time.Second)
	}
	return a
}

// trash adds a project that was deleted and can be taken back.
func (e *exhibition) trash(id sandlot.ProjectID, title string) {
	e.t.Helper()
	e.add(id, publish.NewProject{Account: e.accountOf("ada"), Title: title})
	err := e.db.Publish().Trash(e.t.Context(), id, 0, sandlot.LogEntry{At: e.now(), Actor: sandlot.ActorOwner, Action: sandlot.ActionDelete, Target: string(id)})
	expect.OK(e.t, err)
}

// files are many in one project, and a history in others.
func (e *exhibition) files() {
	e.t.Helper()
	put := func(names ...string) (c publish.Change) {
		for _, name := range names {
			c.Put = append(c.Put, fileOf(name, name))
		}
		return c
	}
	drop := func(c publish.Change, names ...string) publish.Change {
		for _, name := range names {
			c.Drop = append(c.Drop, sandlot.File{Name: name, Folded: name})
		}
		return c
	}
	some := []string{"game.js", "style.css", longName, "音/波.ogg", arabicName}
	all := some
	for i := range 220 {
		all = append(all, fileAt(i))
	}
	e.rearrange(manyFiles, 1, put(all...))
	e.rearrange("light-h7d3k9", 1, put(arabicName))
	e.rearrange("long-q7w2e5", 1, put(some...))
	e.rearrange(harbor, 1, put(append(some, "old.js")...))
	for n := 2; n < 20; n++ {
		e.put(harbor, n, "game.js", fmt.Sprint(n))
	}
	e.rearrange(harbor, 20, drop(put("game.js"), "game.js", "old.js"))
	levels := put("index.html", arabicName, longName)
	for i := range 15 {
		levels.Put = append(levels.Put, fileOf(fmt.Sprintf("levels/%02d.json", i), "{}"))
	}
	e.rearrange(harbor, 21, drop(levels, "index.html", arabicName, longName))
	expect.OK(e.t, e.service.EraseVersion(e.t.Context(), e.owner("ada"), harbor, 19))
	e.tried(harbor, everythingWrong)
}

// keys are as many as one project may have, and some with names that are hard to show.
func (e *exhibition) keys() {
	e.t.Helper()
	mint := func(by sandlot.Caller, id sandlot.ProjectID, name, form string) sandlot.Secret {
		return must(e.service.Keyring.MintKey(e.t.Context(), by, publish.NewKey{Project: id, Name: name, Form: form}))(e.t)
	}
	for i := range 99 { // beside the one that it came with
		mint(e.owner("noor"), "sand-c8d4f6", hebrewWords, fmt.Sprint(i))
	}
	ada := e.owner("ada")
	must(e.service.Keyring.RotateKey(e.t.Context(), ada, "rotated"))(e.t)
	mint(ada, "wick-m4t8z1", longLabel, "again")
	mint(ada, "wick-m4t8z1", hebrewWords, "hebrew")
	e.in.CallerOf(mint(ada, harbor, "Level designer", "used"))
	expect.OK(e.t, e.in.KeyUses.Flush(e.t.Context()))
	e.named["key"] = e.in.Query("SELECT max(id) FROM keys")[0]
}

// sessions are the logins of browsers.
func (e *exhibition) sessions() {
	e.t.Helper()
	e.session(e.accountOf("ada"), "mover")
	expect.OK(e.t, e.account.ProposeEmail(e.t.Context(), e.owner("mover"), "ada@example.com", "en"))
	must(e.account.TakeEmail(e.t.Context(), testworld.Nobody(), e.token("/account/email")))(e.t)
	e.named["undo"] = e.token("/account/undo")
	for token, handle := range map[string]string{"ada": "ada", "long": longHandle, "new": "quiet-meadow", "noor": "noor"} {
		e.session(e.accountOf(handle), token, firefox)
	}
	e.later(-time.Hour)
	e.session(e.accountOf("ada"), "stale", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1")
	e.later(time.Hour)
}

// messages are in the mailbox of somebody with a long address.
func (e *exhibition) messages() {
	e.t.Helper()
	expect.OK(e.t, e.account.ProposeEmail(e.t.Context(), e.owner("new"), longMail, "en"))
	e.named["move"] = e.token("/account/email")
	e.named["nothing"] = e.claim("not-yet", longMail)
	e.named["connect"] = e.connectCode()
	maker := "x" + longHandle[1:]
	e.named["claim"] = e.claim(maker, longMail)
	e.stock(account.ClaimShown+1, maker)
	e.session(e.accountOf(maker), "many")
	for _, browser := range []string{"proved", "here"} {
		e.named[browser] = must(e.account.Logins.AskLogin(e.t.Context(), testworld.Nobody(), account.LoginInput{Email: longMail, Back: "/account/keys"}))(e.t)
		e.named["link"] = e.token("/login/link")
		if browser == "proved" {
			expect.OK(e.t, e.account.Logins.UseLoginLink(e.t.Context(), testworld.Nobody(), e.named["proved"], e.named["link"]))
		}
	}
	for _, m := range e.in.Mails {
		if m.NotMe != "" {
			e.named["not-me-"+m.Kind] = must(url.Parse(m.NotMe))(e.t).Query().Get("token")
		}
		e.named["wrong code"] = wrong(m.Code)
	}
	e.named["next"] = must(url.Parse(next(e.t, text(e.t, request(e, "GET", "/?sort=newest", "")))))(e.t).Query().Get("after")
}

// grants are those of ada, and the questions of programs.
func (e *exhibition) grants() {
	e.t.Helper()
	kite, here := e.program("Kite", clientBack), e.program(hebrewWords, "http://127.0.0.1/back")
	e.named["consent"], e.named["consent here"], e.named["consent refused"] = asks(kite), asks(here), asks(kite, "response_type", "token")
	for c, id := range map[*oauth.Client]sandlot.ProjectID{&kite: harbor, &here: ""} {
		e.grant(*c, e.owner("ada"), id)
	}
	by, code := e.owner("ada"), e.device("").UserCode
	asked := must(e.cfg.OAuth.DeviceConsent(e.t.Context(), by, code))(e.t)
	expect.OK(e.t, e.cfg.OAuth.ApproveDevice(e.t.Context(), by, code, oauth.Choice{Form: asked.Form}))
	e.named["grant"] = e.in.Query("SELECT max(id) FROM keys")[0]
	e.named["device"] = e.device(string(harbor)).UserCode
}

// copied is the exhibition as it was, with nobody who plays.
func (e *exhibition) copied(t *testing.T, opts ...testworld.Option) *world {
	t.Helper()
	return pagesOn(t, e.in.Copy(t, opts...))
}

// find fills in what a look has in braces.
func (e *exhibition) find(l look) look {
	var pairs []string
	for name, value := range e.named {
		pairs = append(pairs, "{"+name+"}", value)
	}
	is := strings.NewReplacer(pairs...)
	l.path, l.login = is.Replace(l.path), is.Replace(l.login)
	form := url.Values{}
	for name := range l.form {
		form.Set(name, is.Replace(l.form.Get(name)))
	}
	if l.form != nil {
		l.form = form
	}
	return l
}
