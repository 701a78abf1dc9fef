package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot/internal/admission"
	"sandlot/internal/gallery"
	"sandlot/internal/publish"
)

// projects is what the page of a project asks of the domain.
type projects interface {
	// ProjectPage returns what anybody may know of a project.
	ProjectPage(ctx context.Context, by publish.Caller, id publish.ProjectID) (gallery.ProjectPage, error)
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
	Project        publish.Project
	Name           string // the title, or the id where there is none
	Address, Page  string
	Sandbox, Allow string
	Storage        string // the page that tells whether framed storage works; empty where there is none to have
}

// projectPage is what the page of a project shows.
type projectPage struct {
	stage
	Stats   publish.Stats
	Liked   bool   // by this visitor
	Visitor string // a token for a browser that has none, should it like the project
	About   string // what its owner says of it; may be empty
	Noindex bool
	Embed   string // what others put into their pages
}

func (p *Pages) projectRoutes() []route {
	return []route{
		{"GET", "/p/{id}", anyone, admission.Look, p.project},
	}
}

// project shows a project in its frame, in its own language.
func (p *Pages) project(v *visit) error {
	got, err := p.Gallery.ProjectPage(v.r.Context(), v.by, publish.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	found := got.Project
	liked, err := v.liked(found.ID)
	if err != nil {
		return err
	}
	fresh := ""
	if v.visitor() == "" {
		if fresh, err = v.Gallery.MintPlayerToken(v.r.Context(), v.by); err != nil {
			return err
		}
	}
	v.speak(found.Lang)
	page := projectPage{stage: newStage(p.Places, found), Stats: got.Stats, Liked: liked, Visitor: fresh, About: got.Description, Noindex: found.Unlisted || !found.Verified}
	page.Embed = snippet(p.Places, found, embedWidth, embedHeight)
	if found.Threads && p.Places.Content != "" {
		// A frame is isolated only within a page that is: what this page loads is its own, and the project allows itself to be framed.
		v.w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	}
	if page.Noindex {
		v.w.Header().Set("X-Robots-Tag", "noindex")
	}
	return v.show(http.StatusOK, "project.html", page.Name, page)
}

// shown is the project of an address that anybody may see. What is no id at all
// is not there either.
func (v *visit) shown(id publish.ProjectID) (publish.Project, error) {
	found, err := v.Service.Current(v.r.Context(), v.by, id)
	if errors.Is(err, publish.CodeInvalidField) {
		err = publish.ErrNotFound
	}
	return found, err
}

func newStage(places publish.Places, of publish.Project) stage {
	at := places.Project(of.ID, of.Version, "")
	s := stage{Project: of, Name: name(of), Address: at.URL, Page: at.Page, Sandbox: sandboxOwnOrigin, Allow: allowed}
	s.Storage = at.URL + ".sandlot/storage"
	if places.Content == "" {
		s.Sandbox, s.Storage = sandbox, ""
	}
	return s
}

// name is what a project is called.
func name(p publish.Project) string {
	if p.Title == "" {
		return string(p.ID)
	}
	return p.Title
}
