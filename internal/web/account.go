package web

import (
	"context"
	"net/http"
	"strings"

	"sandlot/internal/admission"
	"sandlot/internal/gallery"
	"sandlot/internal/publish"
)

// overviews is what the first page of the account asks of the domain.
type overviews interface {
	// Overview returns a page of the caller's projects with their plays by day, newest change first, and the cursor of the next page, if there is one.
	Overview(ctx context.Context, by publish.Caller, cursor string) (list []gallery.OverviewRow, next string, err error)
}

func (p *Pages) accountRoutes() []route {
	return []route{
		{"GET", "/account", owner, admission.Look, p.account},
		{"GET", "/account/sessions", owner, admission.Look, p.sessions},
		{"POST", "/account/sessions", owner, admission.Look, form(maxForm, p.endSessions, "id?", "others?")},
	}
}

// account shows the account's projects with their numbers, and those that were deleted.
func (p *Pages) account(v *visit) error {
	list, next, err := p.Gallery.Overview(v.r.Context(), v.by, v.r.URL.Query().Get("after"))
	if err != nil {
		return err
	}
	deleted, older, err := p.Trash.List(v.r.Context(), v.by, publish.TrashPage{Cursor: v.r.URL.Query().Get("deleted")})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account.html", v.T("account.title"), struct {
		Projects []gallery.OverviewRow
		Next     string
		Deleted  []publish.Trashed // those that can be taken back
		Older    string            // where the next page of them begins
	}{list, next, deleted, older})
}

// At reports whether the page shown is the one of this path.
func (v view) At(path string) bool { return v.r.URL.Path == path }

// Below reports whether the page shown is one of those below this path.
func (v view) Below(path string) bool { return strings.HasPrefix(v.r.URL.Path, path+"/") }
