package web

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"

	"sandlot/internal/publish"
)

// ownVersions is what the page of a project's versions asks of the domain.
type ownVersions interface {
	Versions(ctx context.Context, by publish.Caller, ref string, limit int, cursor string) (publish.VersionPage, error)
	RestoreVersion(ctx context.Context, by publish.Caller, id publish.ProjectID, n int, formToken string) error
	EraseVersion(ctx context.Context, by publish.Caller, id publish.ProjectID, n int) error
}

// versionsShown is how many versions a person sees at once.
const versionsShown = 20

// namesShown is how many names of changed files a version is described with.
const namesShown = 12

// versionsPage is what the page of the versions shows.
type versionsPage struct {
	publish.Managed
	Versions  []publish.VersionView
	Next      string // where the next page begins; empty: nowhere
	FormToken string
}

func (p *Pages) versions(v *visit) error {
	before := v.r.URL.Query().Get("before")
	if number(before) == 0 {
		before = "" // an invalid number means the first page
	}
	ctx := v.r.Context()
	page := versionsPage{FormToken: rand.Text()}
	var err error
	if page.Managed, err = p.Service.Manage(ctx, v.by, v.ownID()); err != nil {
		return err
	}
	list, err := p.Service.Versions(ctx, v.by, string(v.ownID()), versionsShown, before)
	if err != nil {
		return err
	}
	page.Versions, page.Next = list.Versions, list.Next
	return v.show(http.StatusOK, "own_versions.html", v.T("own.versions"), page)
}

// Names are the first of a list of files.
func (v view) Names(list []string) []string { return list[:min(len(list), namesShown)] }

// Beyond is how many of them are not shown.
func (v view) Beyond(list []string) int { return max(len(list)-namesShown, 0) }

// number is the version that a form or a link is about; 0: none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

func (p *Pages) restoreVersion(v *visit) error {
	n := number(v.r.PostForm.Get("n"))
	err := p.Service.RestoreVersion(v.r.Context(), v.by, v.ownID(), n, v.r.PostForm.Get("form_token"))
	return v.arranged(err, ownPage{}, "said.restored", "version", n)
}

// askErase asks before a version is gone. Whoever comes from a login has lost
// which one it was.
func (p *Pages) askErase(v *visit) (err error) {
	page := leavePage{N: number(v.r.URL.Query().Get("n"))}
	if page.N == 0 {
		return v.redirect(v.ownPath() + "/versions")
	}
	if page.Managed, err = p.Service.Manage(v.r.Context(), v.by, v.ownID()); err != nil {
		return err
	}
	if page.N >= page.Project.Version {
		return v.redirect(v.ownPath() + "/versions") // the page offers no such link
	}
	return v.show(http.StatusOK, "own_erase.html", v.T("own.erase-title", "version", page.N), page)
}

// eraseVersion erases a version; the button may be pressed twice.
func (p *Pages) eraseVersion(v *visit) error {
	n := number(v.r.PostForm.Get("n"))
	err := p.Service.EraseVersion(v.r.Context(), v.by, v.ownID(), n)
	switch {
	case errors.Is(err, publish.ErrCurrent):
		return v.redirect(v.ownPath() + "/versions") // the page offers no such link
	case err != nil:
		return err
	}
	return v.done(v.ownPath()+"/versions", "said.erased", "version", n)
}
