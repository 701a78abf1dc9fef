package web

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"

	"sandlot/internal/admission"
	"sandlot/internal/publish"
)

// ownProjects is what the page of a project for its owner asks of the domain. To
// another account a project is publish.ErrNotFound.
type ownProjects interface {
	Manage(ctx context.Context, by publish.Caller, id publish.ProjectID) (publish.Managed, error)
	Describe(ctx context.Context, by publish.Caller, id publish.ProjectID, d publish.Details) error
	DeleteProject(ctx context.Context, by publish.Caller, ref, confirm string) (publish.DeletedProject, error)
	ExportProject(ctx context.Context, by publish.Caller, id publish.ProjectID) (publish.Export, error)
	ownFiles
	ownVersions
}

// maxDetails bounds the form of the details: a description of MaxDescription
// characters has up to 12 bytes each on its way, and there is a title.
const maxDetails = 12*publish.MaxDescription + 8<<10

func (p *Pages) ownRoutes() []route {
	const at = "/account/projects/{id}"
	return []route{
		{"GET", at, owner, admission.Look, p.ownProject},
		{"POST", at, owner, admission.Look, form(maxDetails, p.describe, "title", "description", "tags?", "listed?", "threads?")},
		{"GET", at + "/download", owner, admission.Export, p.download},
		{"GET", at + "/delete", recent, admission.Look, p.askDeleteProject},
		{"POST", at + "/delete", recent, admission.Look, form(maxForm, p.deleteProject, "typed")},
		{"POST", at + "/take-back", owner, admission.Look, form(maxForm, p.takeBack)},
		{"GET", at + "/purge", recent, admission.Look, p.askPurge},
		{"POST", at + "/purge", recent, admission.Look, form(maxForm, p.purge)},
		{"POST", at + "/files", owner, admission.Upload, p.uploadFiles},
		{"POST", at + "/move", owner, admission.Look, form(maxForm, p.moveFile, "file", "to", "form_token")},
		{"GET", at + "/remove", owner, admission.Look, p.askRemove},
		{"POST", at + "/remove", owner, admission.Look, form(maxForm, p.removeFile, "file")},
		{"POST", at + "/primary", owner, admission.Look, form(maxForm, p.choosePrimary, "file", "form_token")},
		{"GET", at + "/versions", owner, admission.Look, p.versions},
		{"POST", at + "/restore", owner, admission.Look, form(maxForm, p.restoreVersion, "n", "form_token")},
		{"GET", at + "/erase", recent, admission.Look, p.askErase},
		{"POST", at + "/erase", recent, admission.Look, form(maxForm, p.eraseVersion, "n")},
	}
}

// ownPage is what the page of a project shows to its owner.
type ownPage struct {
	publish.Managed
	Shown     []publish.File // those of its files that are on this page of the list
	After     bool           // whether others come before them
	Next      string         // the name that the next page comes after; empty: there is none
	FormToken string         // of this page: each of its forms acts once under it
	Wrong     string         // what was refused, in the visitor's language
	Refused   string         // the file that it is about, if it is one of several
	From, To  string         // a name that was refused
	Folder    string         // of an upload that was refused
	TagWords  string         // the tags as the form shows them
}

// MaxDescription is how many characters a description may have.
func (ownPage) MaxDescription() int { return publish.MaxDescription }

// ownID is the project of the path.
func (v *visit) ownID() publish.ProjectID { return publish.ProjectID(v.r.PathValue("id")) }

// ownPath is where a project's owner finds it.
func (v *visit) ownPath() string { return "/account/projects/" + string(v.ownID()) }

func (p *Pages) ownProject(v *visit) error { return v.showOwn(http.StatusOK, ownPage{}) }

// ownFilesPage is how many files the page of a project lists.
const ownFilesPage = 200

// list chooses the files of this page: those after that name, which is a file's, or
// else the first. A file whose name was refused is among them.
func (page *ownPage) list(after string) {
	start := 0
	for i, f := range page.Files {
		switch f.Name {
		case after:
			start = i + 1
		case page.From:
			start = i - i%ownFilesPage
		}
	}
	end := min(start+ownFilesPage, len(page.Files))
	page.Shown, page.After = page.Files[start:end], start > 0
	if end < len(page.Files) {
		page.Next = page.Files[end-1].Name
	}
}

// showOwn fills in what the page has in any case. Details that were refused stay.
func (v *visit) showOwn(status int, page ownPage) error {
	kept := page.Details
	var err error
	if page.Managed, err = v.Service.Manage(v.r.Context(), v.by, v.ownID()); err != nil {
		return err
	}
	if kept != (publish.Details{}) {
		page.Details = kept
	}
	if page.TagWords == "" {
		page.TagWords = v.tagWords(page.Details.Tags)
	}
	query := v.r.URL.Query()
	v.place = len(query) == 1 && query.Has("after")
	page.list(query.Get("after"))
	page.FormToken = rand.Text()
	return v.show(status, "own_project.html", name(page.Project), page)
}

func (p *Pages) describe(v *visit) error {
	form := v.r.PostForm
	d := publish.Details{Title: form.Get("title"), Description: form.Get("description"), Unlisted: form.Get("listed") == "", Threads: form.Get("threads") != ""}
	tags, err := publish.ReadTags(v.readTagWords(form.Get("tags")))
	if err != nil {
		page := ownPage{Wrong: v.T("own.tags-wrong"), TagWords: form.Get("tags")}
		page.Details = d
		return v.showOwn(http.StatusUnprocessableEntity, page)
	}
	d.Tags = tags
	err = p.Service.Describe(v.r.Context(), v.by, v.ownID(), d)
	if errors.Is(err, publish.CodeInvalidField) {
		page := ownPage{Wrong: v.T("own.description-long", "n", publish.MaxDescription)}
		page.Details = d
		return v.showOwn(http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return v.done(v.ownPath(), "said.saved")
}

// download sends the project as a ZIP, as it is written.
func (p *Pages) download(v *visit) error {
	e, err := p.Service.ExportProject(v.r.Context(), v.by, v.ownID())
	if err != nil {
		return err
	}
	return v.sendArchive(e, string(v.ownID()))
}

// leavePage asks before something is gone.
type leavePage struct {
	publish.Managed
	Typed, Wrong string
	N            int
}

func (p *Pages) askDeleteProject(v *visit) error { return v.showDelete(http.StatusOK, leavePage{}) }

func (v *visit) showDelete(status int, page leavePage) (err error) {
	if page.Managed, err = v.Service.Manage(v.r.Context(), v.by, v.ownID()); err != nil {
		return err
	}
	return v.show(status, "own_delete.html", v.T("own.delete-title"), page)
}

// deleteProject deletes it if its id was typed. Sent twice, the second time says
// the same.
func (p *Pages) deleteProject(v *visit) error {
	typed := v.r.PostForm.Get("typed")
	out, err := p.Service.DeleteProject(v.r.Context(), v.by, string(v.ownID()), typed)
	if errors.Is(err, publish.CodeInvalidField) || errors.Is(err, publish.CodeMissingField) {
		return v.showDelete(http.StatusUnprocessableEntity, leavePage{Typed: typed, Wrong: v.T("own.delete-wrong")})
	}
	if err != nil {
		return err
	}
	return v.done("/account", "said.project-deleted", "name", v.ownID(), "date", view{visit: v}.day(out.GoneAt().UTC()))
}
