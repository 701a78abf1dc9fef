package web

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/trial"
)

// maxDetails bounds the form of the details in bytes: each of the MaxDescription characters takes up to 12 bytes in
// transit, and there is a title.
const maxDetails = 12*publish.MaxDescription + 8<<10

// maxMarked bounds the form that names files to delete, in bytes: all files of a page, each name of at most 512 bytes,
// of which each takes three in transit.
const maxMarked = ownFilesPage*(3*512+8) + maxForm

// ownPages serves the page of a project for its owner, and the forms on it.
type ownPages struct {
	service  *publish.Service
	reader   *publish.Reader
	trash    *publish.Trash
	contents *publish.Contents
	covers   *cover.Service
	trials   *trial.Service
	zip      archives
	listings *turns.Lists[sandlot.AccountID]
}

func (o *ownPages) routes() []route {
	const at = "/account/projects/{id}"
	return []route{
		{"GET", at, owner, admission.Look, o.page},
		{"POST", at, owner, admission.Look, form(maxDetails, o.describe,
			"title", "description", "tags?", "listed?", "threads?", "lang?", "seen?")},
		{"GET", at + "/download", owner, admission.Export, o.download},
		{"GET", at + "/delete", recent, admission.Look, o.askDelete},
		{"POST", at + "/delete", recent, admission.Look, form(maxForm, o.delete, "typed")},
		{"POST", at + "/take-back", owner, admission.Look, form(maxForm, o.takeBack)},
		{"GET", at + "/purge", recent, admission.Look, o.askPurge},
		{"POST", at + "/purge", recent, admission.Look, form(maxForm, o.purge)},
		{"POST", at + "/files", owner, admission.Upload, o.uploadFiles},
		{"GET", at + "/file", owner, admission.Export, o.downloadFile},
		{"POST", at + "/move", owner, admission.Look, form(maxForm, o.moveFile, "file", "to", "form_token", "seen?")},
		{"GET", at + "/remove", owner, admission.Look, o.askRemove},
		{"POST", at + "/remove", owner, admission.Look, form(maxMarked, o.removeFiles, "file*", "form_token", "seen?")},
		{"POST", at + "/primary", owner, admission.Look, form(maxForm, o.choosePrimary, "file", "form_token", "seen?")},
	}
}

// ownPage holds the data of the page of a project for its owner.
type ownPage struct {
	publish.Managed
	listing
	Typed     *publish.DescribeInput // details that were refused; nil: the stored ones are shown
	Said      publish.DescribeInput  // the content of the form of the details
	FormToken string                 // of this page: each of its forms acts once under it
	Wrong     string                 // the refusal, in the visitor's language
	Refused   string                 // the file that the refusal is about, if it is one of several
	From, To  string                 // a rename that was refused
	Folder    string                 // of an upload that was refused
	TagWords  string                 // the tags as the form shows them
	Checks    *checks                // nil: this instance runs no trials
	CoverTold []toldFinding          // pictures that could not be its cover
}

// Lang returns the language in the form; empty: none.
func (p ownPage) Lang() string {
	if p.Said.Lang == nil {
		return ""
	}
	return *p.Said.Lang
}

// MaxDescription returns the maximum number of characters in a description.
func (ownPage) MaxDescription() int { return publish.MaxDescription }

// ownID returns the project of the path.
func (v *visit) ownID() sandlot.ProjectID { return sandlot.ProjectID(v.r.PathValue("id")) }

// ownPath returns the path of the project's page for its owner.
func (v *visit) ownPath() string { return "/account/projects/" + string(v.ownID()) }

// ownFolder returns the path of the folder that the owner looked at, from the address of a form.
func ownFolder(v *visit) string { return ownForm(v, "") }

// ownForm returns the address of a form about files, which passes the folder on.
func ownForm(v *visit, name string) string {
	path := v.ownPath()
	if name != "" {
		path += "/" + name
	}
	if in := v.query("in"); in != "" {
		path += "?in=" + url.QueryEscape(in)
	}
	return path
}

const (
	// ownListings is the number of pages that an account may have rendered from a list of files at once: two windows.
	// Without the limit, a project of 10,000 files took 6 MB for each.
	ownListings = 2
	listingWait = 20 * time.Second // for the pages of others, as long as a visitor waits for one
)

// newListings bounds the pages that are rendered from lists of files. Reading such a list keeps a processor busy, and
// more calls than twice the number of processors would wait with the lists in memory.
func newListings() *turns.Lists[sandlot.AccountID] {
	return turns.NewLists[sandlot.AccountID](2*runtime.GOMAXPROCS(0), ownListings, listingWait)
}

// A turn is the permission to render a page from a list of files. The zero value has none.
type turn struct{ made, sent func() }

// end passes the turn on.
func (t *turn) end() {
	if t.made != nil {
		t.made()
		t.sent()
		*t = turn{}
	}
}

// manage returns the project of the path for its owner, with all of its files. The visit keeps its turn until it calls
// end or sends its page.
func (o *ownPages) manage(v *visit) (m publish.Managed, err error) {
	if v.turn.made == nil {
		if v.turn.made, v.turn.sent, err = o.listings.Begin(v.r.Context(), v.me.Account.ID); err != nil {
			return m, err
		}
	}
	m, err = o.reader.Manage(v.r.Context(), v.by, v.ownID())
	v.grant.Files(len(m.Files))
	return m, err
}

func (o *ownPages) page(v *visit) error { return o.show(v, http.StatusOK, ownPage{}) }

// show sets the fields that the page always has. Details that were refused stay in the form.
func (o *ownPages) show(v *visit, status int, page ownPage) error {
	var err error
	if page.Managed, err = o.manage(v); err != nil {
		return err
	}
	page.Said = publish.DescribeInput{Details: page.Details, Lang: &page.Project.Lang, Seen: page.Details.Mark()}
	if page.Typed != nil {
		page.Said.Details, page.Said.Lang = page.Typed.Details, page.Typed.Lang
	}
	if page.TagWords == "" {
		page.TagWords = tagWords(v, page.Details.Tags)
	}
	query := v.r.URL.Query()
	v.place = true
	for name := range query {
		v.place = v.place && (name == "in" || name == "after")
	}
	page.listing = listFiles(page.Files, wantedFiles{v.query("in"), wanted(query.Get("q")), query.Get("after"), page.From})
	page.FormToken = rand.Text()
	if page.Checks, err = o.told(v, page.Project); err != nil {
		return err
	}
	if !page.Project.Suspended {
		mine, err := o.covers.Cover(v.r.Context(), v.by, page.Project.ID)
		if err != nil {
			return err
		}
		page.CoverTold = toldOf(v, mine)
	}
	return v.show(status, "own_project.html", name(page.Project), page)
}

func (o *ownPages) describe(v *visit) error {
	form := v.r.PostForm
	in := publish.DescribeInput{Seen: form.Get("seen"), Details: publish.Details{
		Title: form.Get("title"), Description: form.Get("description"),
		Unlisted: form.Get("listed") == "", Threads: form.Get("threads") != "",
	}}
	if form.Has("lang") {
		lang := form.Get("lang")
		in.Lang = &lang
	}
	page, status := ownPage{Typed: &in, TagWords: form.Get("tags")}, http.StatusUnprocessableEntity
	var err error
	if in.Tags, err = publish.ReadTags(v.readTagWords(form.Get("tags"))); err != nil {
		page.Wrong = v.T("own.tags-wrong")
		return o.show(v, status, page)
	}
	err = o.service.Describe(v.r.Context(), v.by, v.ownID(), in)
	var refused *sandlot.Error
	switch {
	case err == nil:
		return v.done(v.ownPath(), "said.saved")
	case errors.Is(err, sandlot.CodeVersionConflict):
		page.Wrong, status = v.T("own.details-moved"), http.StatusPreconditionFailed
	case errors.As(err, &refused) && refused.Field == "lang":
		page.Wrong = v.T("own.lang-bad")
	case errors.Is(err, sandlot.CodeInvalidField):
		page.Wrong = v.T("own.description-long", "n", publish.MaxDescription)
	default:
		return err
	}
	return o.show(v, status, page)
}

// An ownFrame is the frame of each page of a project for its owner.
type ownFrame struct {
	view
	Project sandlot.Project
	Name    string
	First   bool // whether the page is the project's own, whose heading it has
}

// Frame returns the frame of a project's pages, for its first page or another.
func (v view) Frame(p sandlot.Project, first bool) ownFrame { return ownFrame{v, p, name(p), first} }

// download streams the project as a ZIP.
func (o *ownPages) download(v *visit) error {
	e, err := o.reader.ExportProject(v.r.Context(), v.by, v.ownID())
	if err != nil {
		return err
	}
	return o.zip.send(v, e, string(v.ownID()))
}

// leavePage asks for confirmation before a deletion.
type leavePage struct {
	publish.Managed
	Typed, Wrong string
	N            int
}

func (o *ownPages) askDelete(v *visit) error { return o.showDelete(v, http.StatusOK, leavePage{}) }

func (o *ownPages) showDelete(v *visit, status int, page leavePage) (err error) {
	if page.Managed, err = o.manage(v); err != nil {
		return err
	}
	return v.show(status, "own_delete.html", v.T("own.delete-title"), page)
}

// delete deletes the project if its id was typed. A form sent twice gets the same answer.
func (o *ownPages) delete(v *visit) error {
	typed := v.r.PostForm.Get("typed")
	out, err := o.service.DeleteProject(v.r.Context(), v.by, string(v.ownID()), typed)
	if errors.Is(err, sandlot.CodeInvalidField) || errors.Is(err, sandlot.CodeMissingField) {
		return o.showDelete(v, http.StatusUnprocessableEntity, leavePage{Typed: typed, Wrong: v.T("own.delete-wrong")})
	}
	return v.doneIf(err, "/account", "said.project-deleted", "name", name(out.Project), "date", v.Day(out.GoneAt()))
}

// takeBack recovers a deleted project. A form sent twice gets the same answer.
func (o *ownPages) takeBack(v *visit) error {
	back, err := o.trash.TakeBack(v.r.Context(), v.by, v.ownID())
	return v.doneIf(err, v.ownPath(), "said.taken-back", "name", name(back))
}

func (o *ownPages) askPurge(v *visit) error {
	list, _, err := o.trash.List(v.r.Context(), v.by, publish.TrashPage{Project: v.ownID()})
	if err != nil {
		return err
	}
	return v.ask(v.T("own.purge-title", "name", name(list[0].Project)), askPage{
		Leads: []any{v.T("own.purge-lead")}, Action: v.ownPath() + "/purge", Yes: v.T("own.purge-yes"), Back: "/account#deleted",
	})
}

// purge deletes a project in the trash for good. A form sent twice finds nothing.
func (o *ownPages) purge(v *visit) error {
	gone, err := o.trash.Purge(v.r.Context(), v.by, v.ownID())
	return v.doneIf(err, "/account", "said.purged", "name", name(gone))
}
