package web

import (
	"crypto/rand"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
)

const (
	versionsShown = 20  // on one page
	changesShown  = 6   // files listed for a version
	changesFolded = 100 // further files, folded away
)

// versionsPage holds the data of the page of the versions.
type versionsPage struct {
	publish.Managed
	Versions  []versionItem
	After     bool   // whether there are newer ones before them
	Next      string // the cursor of the next page; empty: none
	FormToken string
	Wrong     string // the refusal, in the visitor's language
}

// A versionItem is a version on the page.
type versionItem struct {
	sandlot.VersionView
	At    string
	Began string // the start page, if the version changed it; empty: it did not
}

// Shown returns the visible changes, Folded those that can be unfolded, Beyond the number of the rest.
func (v versionItem) Shown() []sandlot.FileChange { return v.Files[:min(len(v.Files), changesShown)] }

// Folded returns the changes after those of Shown.
func (v versionItem) Folded() []sandlot.FileChange {
	return v.Files[len(v.Shown()):min(len(v.Files), changesShown+changesFolded)]
}

// Beyond returns the number of changes after those of Folded.
func (v versionItem) Beyond() int { return len(v.Files) - len(v.Shown()) - len(v.Folded()) }

// versions serves the pages of a project's versions for its owner.
type versions struct {
	service     *publish.Service
	reader      *publish.Reader
	contents    *publish.Contents
	own         *ownPages
	comparisons *turns.Lists[sandlot.AccountID]
}

func (s versions) routes() []route {
	const at = "/account/projects/{id}"
	return []route{
		{"GET", at + "/versions", owner, admission.Look, s.page},
		{"POST", at + "/restore", owner, admission.Look, form(maxForm, s.restore, "n", "form_token", "seen?")},
		{"GET", at + "/versions/{n}/diff", owner, admission.Compare, s.diff},
		{"GET", at + "/erase", recent, admission.Look, s.askErase},
		{"POST", at + "/erase", recent, admission.Look, form(maxForm, s.erase, "n")},
	}
}

func (s versions) page(v *visit) error { return s.show(v, http.StatusOK, "") }

func (s versions) show(v *visit, status int, wrong string) error {
	before := v.r.URL.Query().Get("before")
	if number(before) == 0 {
		before = "" // an invalid number means the first page
	}
	ctx := v.r.Context()
	page := versionsPage{FormToken: rand.Text(), Wrong: wrong, After: before != ""}
	var err error
	if page.Managed, err = s.own.manage(v); err != nil {
		return err
	}
	list, err := s.reader.Versions(ctx, v.by, string(v.ownID()), versionsShown, before)
	if err != nil {
		return err
	}
	for i, one := range list.Versions {
		v.grant.Files(len(one.Files))
		item := item(v, one)
		if !one.Erased && (i+1 == len(list.Versions) || list.Versions[i+1].Primary != one.Primary) {
			item.Began = one.Primary
		}
		page.Versions = append(page.Versions, item)
	}
	page.Next = list.Next
	return v.show(status, "own_versions.html", v.T("own.versions"), page)
}

func item(v *visit, of sandlot.VersionView) versionItem {
	return versionItem{VersionView: of, At: v.ownPath() + "/versions/" + strconv.Itoa(of.N)}
}

// Start returns the name of the version's start page as HTML.
func (v versionItem) Start() template.HTML {
	return template.HTML("<bdi>" + esc(v.Began) + "</bdi>")
}

// A changeSum is the number of files with one kind of change.
type changeSum struct {
	Kind string
	N    int
}

// Sums counts the changes of each kind; empty for a single file, whose own line shows its change.
func (v versionItem) Sums() (list []changeSum) {
	if len(v.Files) < 2 {
		return nil
	}
	counts := map[string]int{}
	for _, c := range v.Files {
		counts[changeKind(c)]++
	}
	for _, kind := range []string{"added", "changed", "moved", "removed"} {
		if n := counts[kind]; n > 0 {
			list = append(list, changeSum{kind, n})
		}
	}
	return list
}

// changeKind returns the kind of a file's change.
func changeKind(c sandlot.FileChange) string {
	switch {
	case c.From != "":
		return "moved"
	case c.Before < 0:
		return "added"
	case c.Size < 0:
		return "removed"
	}
	return "changed"
}

// ChangeSize formats the size of a file before and after a change.
func (v view) ChangeSize(c sandlot.FileChange) string {
	switch {
	case c.Before < 0 || c.Before == c.Size:
		return v.Size(c.Size)
	case c.Size < 0:
		return v.Size(c.Before)
	}
	return v.Size(c.Before) + " → " + v.Size(c.Size)
}

// A changeLine is a change of the version whose pages are below At.
type changeLine struct {
	View   view
	At     string
	Change sandlot.FileChange
}

// Change returns a change with the data for its line.
func (v view) Change(at string, c sandlot.FileChange) changeLine { return changeLine{v, at, c} }

// diffAt returns the address of the page below at that compares a file.
func diffAt(at string, c sandlot.FileChange) template.URL {
	return template.URL(at + "/diff?file=" + url.QueryEscape(c.Name))
}

// number returns the version in a form or a link; 0: none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// restore makes a new version of an older one, if the current version is still the one that the visitor saw.
func (s versions) restore(v *visit) error {
	form := v.r.PostForm
	n := number(form.Get("n"))
	err := s.service.RestoreVersion(v.r.Context(), v.by, v.ownID(), n, formSent(form))
	if errors.Is(err, sandlot.CodeVersionConflict) {
		return s.show(v, http.StatusPreconditionFailed, v.T("own.moved-on", "version", n))
	}
	if err != nil {
		return s.own.arranged(v, err, ownPage{}, "")
	}
	return v.done(v.ownPath()+"/versions", "said.restored", "version", n)
}

// askErase asks for confirmation before a version is erased. A visitor who comes from the login has lost its number.
func (s versions) askErase(v *visit) (err error) {
	page := leavePage{N: number(v.r.URL.Query().Get("n"))}
	if page.Managed, err = s.own.manage(v); err != nil {
		return err
	}
	if page.N == 0 || page.N >= page.Project.Version {
		return v.redirect(v.ownPath() + "/versions") // the page offers no such link
	}
	return v.show(http.StatusOK, "own_erase.html", v.T("own.erase-title", "version", page.N), page)
}

// erase erases a version; pressing the button twice is no error.
func (s versions) erase(v *visit) error {
	n := number(v.r.PostForm.Get("n"))
	err := s.service.EraseVersion(v.r.Context(), v.by, v.ownID(), n)
	if errors.Is(err, sandlot.ErrMoved) {
		return v.redirect(v.ownPath() + "/versions") // the page offers no such link
	}
	return v.doneIf(err, v.ownPath()+"/versions", "said.erased", "version", n)
}
