package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/card"
)

// projects is what the page of a project asks of the domain.
type projects interface {
	// ProjectPage returns what anybody may know of a project.
	ProjectPage(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (gallery.ProjectPage, error)
	// Beside returns what a project leads on to.
	Beside(ctx context.Context, by sandlot.Caller, of sandlot.Project) (gallery.Beside, error)
	Counts(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Stats, error)
	likes
}

// heads finds a project as it is now.
type heads interface {
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
}

// projectPages are the pages on which projects are played and liked.
type projectPages struct {
	heads    heads
	gallery  projects
	visitors visitors
	own      *ownPages
	sheets   *sheets
	fonts    card.Fonts
}

// What a project's frame may do, and no more; browsers warn of features that they do not know. It may keep its own origin only where
// that is not the website's, and may never lead the window elsewhere.
const (
	sandbox = "allow-scripts allow-pointer-lock allow-orientation-lock allow-modals allow-forms allow-popups " +
		"allow-downloads allow-storage-access-by-user-activation"
	sandboxOwnOrigin = sandbox + " allow-same-origin"
	allowed          = "autoplay; fullscreen; gamepad; accelerometer; gyroscope; screen-wake-lock; clipboard-write; " +
		"xr-spatial-tracking; keyboard-map; cross-origin-isolated"
)

// A stage is what the frame of a project is made of.
type stage struct {
	Project        sandlot.Project
	Name           string // the title, or the id where there is none
	Address, Page  string
	Sandbox, Allow string
	Storage        string // the page that tells whether framed storage works; empty where there is none to have
	Embedded       bool   // whether there is nothing but the frame
}

// projectPage is what the page of a project shows but for what moves: see moving.
type projectPage struct {
	stage
	About   string // what its owner says of it; may be empty
	Linked  bool   // whether addresses in that are links: those of a stranger would lead from a site that people trust
	Noindex bool
	Own     bool   // whether it is the visitor's own
	Embed   string // what others put into their pages
	Card    string // the address of the picture by which it is shared
	Tags    []string
	initial
}

// An initial is what stands for an account without a portrait.
type initial struct{ handle string }

// Letter is the first of the handle.
func (f initial) Letter() string {
	for _, r := range f.handle {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	r, _ := utf8.DecodeRuneInString(f.handle)
	return string(r)
}

// Hue is its colour.
func (f initial) Hue() int { return cover.HueOf(sandlot.ProjectID("@" + f.handle)) }

func (p *projectPages) routes() []route {
	return []route{
		{"GET", "/p/{id}", anyone, admission.Look, p.project},
		{"POST", "/p/{id}/like", anyone, admission.Like, form(maxForm, p.like, "like", "visitor?")},
	}
}

// owns tells whether a project is the visitor's own.
func owns(v *visit, p sandlot.Project) bool { return v.me != nil && v.me.Account.ID == p.Account }

// project shows a project in its frame, in the project's language; its owner goes on in that of all other pages.
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
	moved, err := p.moves(v, page, head)
	if err != nil {
		return err
	}
	liked, err := p.likes(v, head, moved.stats)
	if err != nil {
		return err
	}
	if head.Threads && v.places.Content != "" {
		// A frame is isolated only within a page that is: what this page loads is its own, and the project allows itself to be framed.
		v.w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	}
	if hidden(head) {
		v.w.Header().Set("X-Robots-Tag", "noindex")
	}
	return v.fillIn(moved.page, filling{v, head, liked}.fill)
}

// hidden reports whether a project is kept from search engines.
func hidden(p sandlot.Project) bool { return p.Unlisted || !p.Verified }

// sheet returns the page of a project, which all have in common whose it is not.
func (p *projectPages) sheet(v *visit, head sandlot.Project) (*sheet, error) {
	if owns(v, head) || v.said != "" {
		return p.newSheet(v, head.ID)
	}
	return p.sheets.page(v.r.Context(), sheetKey{head.ID, v.Lang}, head.Change, func() (*sheet, error) { return p.newSheet(v.forAll(), head.ID) })
}

func (p *projectPages) newSheet(v *visit, id sandlot.ProjectID) (*sheet, error) {
	got, err := p.gallery.ProjectPage(v.r.Context(), v.by, id)
	if err != nil {
		return nil, err
	}
	found := got.Project
	page := projectPage{
		stage: newStage(v.places, found), About: got.Description, Linked: found.Verified || !v.public(), Noindex: hidden(found),
		Own: owns(v, found), Embed: snippet(v.places, found, embedWidth, embedHeight),
		Card: cardAddress(v.places, p.fonts, found),
		Tags: found.Tags.List(), initial: initial{found.Handle},
	}
	var body bytes.Buffer
	if err := v.render(&body, "project.html", page.Name, page); err != nil {
		return nil, err
	}
	return newSheet(body.Bytes(), found.Change), nil
}

// notShown is the page of a project that nobody may see. Its owner is told what is left to do.
func (p *projectPages) notShown(v *visit, id sandlot.ProjectID, why error) error {
	if v.me == nil || !errors.Is(why, sandlot.CodeTakenDown) {
		return why
	}
	if _, err := p.own.manage(v); err != nil {
		return why
	}
	return v.show(http.StatusUnavailableForLegalReasons, "down.html", v.T("error.taken-down.title"), id)
}

// headOf is the project of an address that anybody may see. What is no id at all
// is not there either.
func headOf(v *visit, in heads, id sandlot.ProjectID) (sandlot.Project, error) {
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
	return s
}

// name is what a project is called.
func name(p sandlot.Project) string {
	if p.Title == "" {
		return string(p.ID)
	}
	return p.Title
}

// likes is what the like button asks of the domain.
type likes interface {
	Like(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string, from netip.Addr, like bool) (int64, error)
	Liked(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string) (bool, error)
}

// like takes the button of a project's page: the form says whether the visitor likes
// the project from now on, so that pressing it twice is pressing it once.
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
