package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/card"
	"sandlot/internal/transport/web/stencil"
)

// projectPages serves the pages on which projects are played and liked.
type projectPages struct {
	heads    *publish.Reader
	gallery  *gallery.Service
	visitors visitors
	own      *ownPages
	sheets   *cache[sheet]
	fonts    card.Fonts
	board    *boardPages
}

// The permissions of a project's frame, and no more; browsers warn of features that they do not know. It may keep its
// own origin only where that is not the website's, and may never navigate the window elsewhere.
const (
	sandbox = "allow-scripts allow-pointer-lock allow-orientation-lock allow-modals allow-forms allow-popups " +
		"allow-downloads allow-storage-access-by-user-activation"
	sandboxOwnOrigin = sandbox + " allow-same-origin"
	allowed          = "autoplay; fullscreen; gamepad; accelerometer; gyroscope; screen-wake-lock; clipboard-write; " +
		"xr-spatial-tracking; keyboard-map; cross-origin-isolated"
)

// A stage holds the data of a project's frame.
type stage struct {
	Project        sandlot.Project
	Name           string // the title, or the id of an untitled project
	Address, Page  string
	Sandbox, Allow string
	Storage        string // the page that checks whether framed storage works; empty: no storage to check
	Embedded       bool   // whether the page has nothing but the frame
}

// projectPage holds the data of a project's page without its moving parts: see moving.
type projectPage struct {
	stage
	About   string // the owner's description; may be empty
	Linked  bool   // whether addresses in it become links: a stranger's link would lead away from a trusted site
	Noindex bool
	Own     bool   // whether it is the visitor's own
	Embed   string // the HTML for other sites
	Card    string // the address of the share picture
	Tags    []string
	Plays   bool // whether players leave anything: see boardPages
	initial
}

// An initial represents an account without a portrait.
type initial struct{ handle string }

// Letter returns the first letter of the handle.
func (f initial) Letter() string {
	for _, r := range f.handle {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	r, _ := utf8.DecodeRuneInString(f.handle)
	return string(r)
}

// Hue returns the colour of the account.
func (f initial) Hue() int { return cover.HueOf(sandlot.ProjectID("@" + f.handle)) }

func (p *projectPages) routes() []route {
	return []route{
		{"GET", "/p/{id}", anyone, admission.Look, p.project},
		{"POST", "/p/{id}/like", anyone, admission.Like, form(maxForm, p.like, "like", "visitor?")},
	}
}

// owns reports whether a project is the visitor's own.
func owns(v *visit, p sandlot.Project) bool { return v.me != nil && v.me.Account.ID == p.Account }

// project shows a project in its frame, in the project's language; its owner sees the language of all other pages.
func (p *projectPages) project(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	head, err := headOf(v, p.heads, id)
	if err != nil {
		return p.notShown(v, id, err)
	}
	if !owns(v, head) {
		v.speak(head.Lang)
	}
	page, err := p.sheet(v, head)
	if err != nil {
		return err
	}
	liked, err := p.likes(v, head, page.stats)
	if err != nil {
		return err
	}
	if head.Threads && v.places.Content != "" {
		// A frame is isolated only within an isolated page: this page loads only its own files, and the project allows
		// itself to be framed.
		v.w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	}
	if hidden(head) {
		v.w.Header().Set("X-Robots-Tag", "noindex")
	}
	return v.fillIn(page.page, filling{v, head, liked}.fill)
}

// hidden reports whether a project is kept from search engines.
func hidden(p sandlot.Project) bool {
	return p.Unlisted || !p.Verified || p.Held.Rule != sandlot.NotHeld
}

// render renders the page of a project, with its holes.
func (p *projectPages) render(v *visit, id sandlot.ProjectID) (sheet, error) {
	got, err := p.gallery.ProjectPage(v.r.Context(), v.by, id)
	if err != nil {
		return sheet{}, err
	}
	found := got.Project
	page := projectPage{
		stage: newStage(v.places, found), About: got.Description, Linked: found.Verified || !v.public(), Noindex: hidden(found),
		Own: owns(v, found), Embed: snippet(v.places, found),
		Card: cardAddress(v.places, p.fonts, found),
		Tags: found.Tags.List(), Plays: p.board.rooms.shows(found), initial: initial{found.Handle},
	}
	var body bytes.Buffer
	if err := v.render(&body, "project.html", page.Name, page); err != nil {
		return sheet{}, err
	}
	return sheet{Stencil: stencil.New(body.Bytes()), change: found.Change}, nil
}

// notShown shows the page of a suspended project. Its owner sees the next steps.
func (p *projectPages) notShown(v *visit, id sandlot.ProjectID, why error) error {
	if v.me == nil || !errors.Is(why, sandlot.CodeTakenDown) {
		return why
	}
	if _, err := p.own.manage(v); err != nil {
		return why
	}
	return v.show(http.StatusUnavailableForLegalReasons, "down.html", v.T("error.taken-down.title"), id)
}

// headOf returns the public project of an address. An invalid id is not found either.
func headOf(v *visit, in *publish.Reader, id sandlot.ProjectID) (sandlot.Project, error) {
	found, err := in.Current(v.r.Context(), v.by, id)
	if errors.Is(err, sandlot.CodeInvalidField) {
		err = sandlot.ErrNotFound
	}
	return found, err
}

func newStage(places sandlot.Places, of sandlot.Project) stage {
	at := places.Project(of.ID, of.Version, "")
	s := stage{Project: of, Name: name(of), Address: at.URL, Page: at.Page, Sandbox: sandboxOwnOrigin, Allow: allowed}
	s.Storage = at.URL + ".sandlot/storage"
	if places.Content == "" {
		s.Sandbox, s.Storage = sandbox, ""
	}
	if of.Held.Rule != sandlot.NotHeld { // its owner sees it at the address of the version, which stores nothing
		s.Address, s.Storage = places.Project(of.ID, of.Version, of.Suffix).Version, ""
	}
	return s
}

// name returns the title of a project, or its id.
func name(p sandlot.Project) string {
	if p.Title == "" {
		return string(p.ID)
	}
	return p.Title
}

// like handles the like button: the form states whether the visitor likes the project from now on, so that pressing the
// button twice changes nothing more.
func (p *projectPages) like(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	wish := v.r.PostForm.Get("like")
	if wish != "0" && wish != "1" {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	if _, err := p.heads.Current(v.r.Context(), v.by, id); err != nil {
		return err
	}
	token, err := p.visitors.welcome(v)
	if err != nil {
		return err
	}
	n, err := p.gallery.Like(v.r.Context(), v.by, id, token, v.origin().Addr, wish == "1")
	if err != nil {
		return err
	}
	if strings.Contains(v.r.Header.Get("Accept"), jsonType) {
		return sendJSON(v, map[string]any{"liked": wish == "1", "likes": n})
	}
	return v.redirect("/p/" + string(id))
}

const jsonType = "application/json"

// sendJSON answers a script of ours.
func sendJSON(v *visit, answer any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return v.send(jsonType, body)
}
