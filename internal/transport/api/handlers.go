package api

import (
	"net/http"
	"slices"
	"strconv"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/inspect"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/intake/hint"
)

func (a *API) publish(c *call, in publish.PublishInput) (reply, error) {
	in.Tool = in.Tool || fromTools(c.R.Context())
	out, pending, err := a.Service.Publish(c.R.Context(), c.By, in)
	if err != nil || pending != nil {
		return a.pending(c, pending), err
	}
	c.Grant.Work(len(out.Files)) // a file is recorded in some 65 us
	if out.DryRun {
		return reply{http.StatusOK, newDry(out.Project, changed(out.Many, out.Files, out.File), playable(a, out.Project), a.notes(c, out.Warnings))}, nil
	}
	c.fromRecord(out.FromRecord)
	if out.Account != nil && !out.FromRecord {
		c.Grant.Made()
	}
	c.W.Header().Set("Location", out.Addresses.URL)
	checks, _ := a.checked(c, out.Project, 0)
	notes := a.notes(c, a.withPage(c, out.Project, in.Content, out.Warnings))
	return reply{http.StatusCreated, newPublished(out, connectURL(a.Places, out.Keys.Connect), checks, notes)}, nil
}

// connectURL returns the address where a person takes over the projects of a call; "" without a code. Browsers send no
// fragment to any server.
func connectURL(at sandlot.Places, code sandlot.Secret) string {
	if code == "" {
		return ""
	}
	return at.Base.String() + "/connect#" + code.Reveal()
}

func (a *API) update(c *call, in publish.UpdateInput) (reply, error) {
	out, pending, err := a.Service.Update(c.R.Context(), c.By, in)
	if err != nil || pending != nil {
		return a.pending(c, pending), err
	}
	c.Grant.Work(len(out.Files))
	if out.DryRun {
		return reply{http.StatusOK, newDryUpdate(out, playable(a, out.Project), a.notes(c, out.Warnings))}, nil
	}
	c.fromRecord(out.FromRecord)
	checks, broken := a.checked(c, out.Project, out.Previous)
	notes := a.notes(c, append(a.withPage(c, out.Project, in.Content, out.Warnings), broken...))
	if out.Many {
		return reply{http.StatusOK, newMany(out, checks, notes)}, nil
	}
	return reply{http.StatusOK, newUpdated(out, checks, notes)}, nil
}

func (a *API) deleteFile(c *call, in publish.DeleteInput) (reply, error) {
	out, err := a.Service.DeleteFile(c.R.Context(), c.By, in)
	c.fromRecord(out.FromRecord)
	return reply{http.StatusOK, newDeleted(out, a.notes(c, out.Warnings))}, err
}

func (a *API) deleteProject(c *call, confirm string) (reply, error) {
	out, err := a.Service.DeleteProject(c.R.Context(), c.By, c.param, confirm)
	return reply{http.StatusOK, newDeletedProject(out, a.notes(c, out.Warnings))}, err
}

func (a *API) amend(c *call, in publish.AmendInput) (reply, error) {
	v, err := a.Service.Amend(c.R.Context(), c.By, c.param, in)
	if err != nil {
		return reply{}, err
	}
	c.W.Header().Set("ETag", `"`+strconv.Itoa(v.Project.Version)+`"`)
	return reply{http.StatusOK, &ownedAnswer{newProject(v), a.notes(c, v.Warnings)}}, nil
}

// ownedAnswer holds a project as its owner sees it, without its files.
type ownedAnswer struct {
	projectInfo
	notes
}

func (a *API) signup(c *call, in publish.SignupInput) (reply, error) {
	if c.R.Header.Get("Authorization") != "" {
		c.warn("key_ignored", "The Authorization header was ignored: signup makes a new account.",
			"If you have a key already, use it instead of a second account.")
	}
	out, err := a.Service.Signup(c.R.Context(), c.By, in)
	c.fromRecord(out.FromRecord)
	if err == nil && !out.FromRecord {
		c.Grant.Made()
	}
	return reply{http.StatusCreated, newSignedUp(out, connectURL(a.Places, out.Connect), a.notes(c, out.Warnings))}, err
}

func (a *API) stats(c *call) error {
	if err := intake.ReadableQuery(c.R); err != nil { // a dropped part of the query may select other numbers
		return err.With(sandlot.OpStats, sandlot.Arg{Name: "project_id", Value: c.param}).Note(intake.QueryNote)
	}
	if c.asksFigures() {
		return a.figures(c)
	}
	id, st, err := a.Gallery.Stats(c.R.Context(), c.By, c.param)
	if err != nil {
		return err
	}
	return c.answer(reply{http.StatusOK, &statsAnswer{ProjectID: string(id), stats: newStats(st), AsOf: a.Now().UTC()}})
}

func (a *API) whoami(c *call) error {
	limit, err := c.limit(sandlot.OpWhoami, "projects", publish.DefaultPage, publish.MaxPage)
	if err != nil {
		return err
	}
	who, err := a.Reader.Whoami(c.R.Context(), c.By, limit, c.R.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	c.Grant.Work(len(who.Projects))
	projects := make([]sandlot.Project, len(who.Projects))
	for i, p := range who.Projects {
		projects[i] = p.Project
	}
	who.Warnings = slices.Concat(who.Warnings, a.brokenPages(c, projects...), crowded(a, c, projects...))
	return c.answer(reply{http.StatusOK, newIdentity(who)})
}

// limit returns the number of entries on one page, usually or at most so many; op is the call that lists them.
func (c *call) limit(op sandlot.Op, what string, usual, most int) (int, error) {
	text := c.R.URL.Query().Get("limit")
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter limit is not a whole number from 1 to %d.", most).
			In("limit").With(op).Note("Leave limit out for %d %s a page.", usual, what)
	}
	return n, nil
}

// pending returns the answer to a part of an incomplete upload.
func (a *API) pending(c *call, p *publish.Pending) reply {
	if p == nil {
		return reply{}
	}
	how := ""
	if p.Total == 0 {
		tell := "Send total_parts with any part, last: true with the last part, or upload_id and total_parts alone."
		if p.Token != "" {
			tell += " Send the header Authorization: Bearer <upload_token> with it, with the upload_token of this answer."
		}
		how = hint.Lines([]string{tell, a.tellTotal(c)})
		c.warn("total_unknown", "The number of parts is not known yet, so the upload cannot complete.", how)
	}
	return reply{http.StatusAccepted, newPending(*p, how, a.notes(c, p.Warnings))}
}

// notes joins the warnings of the Service with those of this package, and adds the calls that some propose.
func (a *API) notes(c *call, more []sandlot.Warning) notes {
	for i, w := range more {
		if w.Fix.Op != sandlot.OpNone && !fromTools(c.R.Context()) {
			more[i].Hint = inspect.Redact(hint.Warned(a.Places.Base.String(), c.Object, w))
		}
	}
	return notes{append(c.Warnings, more...)}
}

// versions lists the versions of a project for its owner.
func (a *API) versions(c *call) error {
	limit, err := c.limit(sandlot.OpVersions, "versions", publish.DefaultPage, publish.MaxPage)
	if err != nil {
		return err
	}
	made, sent, err := a.begin(c)
	if err != nil {
		return err
	}
	defer sent()
	page, err := a.Reader.Versions(c.R.Context(), c.By, c.param, limit, c.R.URL.Query().Get("cursor"))
	made()
	if err != nil {
		return err
	}
	for _, one := range page.Versions {
		c.Grant.Files(len(one.Files))
	}
	return c.answer(reply{http.StatusOK, newVersions(page)})
}

func (a *API) restore(c *call, in publish.RestoreInput) (reply, error) {
	out, err := a.Service.Restore(c.R.Context(), c.By, in)
	c.fromRecord(out.FromRecord)
	return reply{http.StatusOK, newRestored(out, a.notes(c, out.Warnings))}, err
}

type versionsAnswer struct {
	ProjectID  string        `json:"project_id"`
	Version    int           `json:"version"`
	Versions   []versionInfo `json:"versions"`
	NextCursor text          `json:"next_cursor"`
}

type versionInfo struct {
	Version      int           `json:"version"`
	CreatedAt    moment        `json:"created_at"`
	Title        text          `json:"title"`
	VersionURL   text          `json:"version_url"`
	Erased       bool          `json:"erased"`
	RestoredFrom *int          `json:"restored_from"`
	Changes      *changesCount `json:"changes"`
}

// changesCount holds the numbers of files that a version changed against the one before it.
type changesCount struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

func newVersions(page sandlot.VersionPage) *versionsAnswer {
	out := &versionsAnswer{string(page.Project.ID), page.Project.Version, make([]versionInfo, len(page.Versions)), text(page.Next)}
	for i, v := range page.Versions {
		info := versionInfo{v.N, moment(v.CreatedAt), text(v.Title), text(v.Address), v.Erased, nil, nil}
		if v.RestoredFrom != 0 {
			info.RestoredFrom = &v.RestoredFrom
		}
		if v.Known {
			info.Changes = &changesCount{len(v.Added), len(v.Changed), len(v.Removed)}
		}
		out.Versions[i] = info
	}
	return out
}

type restoredAnswer struct {
	versionAnswer
	RestoredFrom int    `json:"restored_from"`
	PrimaryFile  string `json:"primary_file"`
	Size         int64  `json:"size"`
	FileCount    int    `json:"file_count"`
	notes
}

func newRestored(r publish.Restored, n notes) *restoredAnswer {
	p := r.Project
	return &restoredAnswer{newVersion(p, r.Addresses, r.Previous, r.Quarantined, nil), r.From, p.Primary, p.Size, p.FileCount, n}
}
