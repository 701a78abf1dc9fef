package api

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/transport/intake"
)

// importArchive imports the projects of an export, which is the bare body, into the caller's account.
func (a *API) importArchive(c *call) error {
	dry, err := a.readImport(c)
	if err != nil {
		return err
	}
	out, err := a.Transfer.Import(c.R.Context(), c.By, transfer.Input{
		Archive: whole{c.Body, c}, Size: c.R.ContentLength, Idempotency: c.R.Header.Get(intake.IdempotencyKey),
		DryRun: dry, Charge: c.Grant.Charge(),
	})
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.BeforeAnswer)
	report := a.newImport(c, out)
	c.fromRecord(report.Replayed > 0 && report.Imported == 0 && report.Failed == 0)
	return c.answer(reply{http.StatusOK, report})
}

// A whole is the body of a call which marks the call as wholly read at its end.
type whole struct {
	*intake.Body
	c *call
}

// Read implements io.Reader.
func (w whole) Read(p []byte) (int, error) {
	n, err := w.Body.Read(p)
	w.c.Whole = w.c.Body.Err != nil
	return n, err
}

// readImport reads the headers and the query, and refuses a request that cannot be an import.
func (a *API) readImport(c *call) (dry bool, err error) {
	if err := c.CheckHeaders(); err != nil {
		return false, err
	}
	value := c.R.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(value)
	types := []string{"application/zip", "application/x-zip-compressed", "application/octet-stream"}
	if value != "" && (err != nil || !slices.Contains(types, kind)) {
		return false, sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "An import is the ZIP of an export itself, as application/zip.").
			In("Content-Type").With(sandlot.OpImport).Note("Send the file as the body:")
	}
	dry, refusal := c.ReadDry()
	if refusal != nil {
		return false, refusal.With(sandlot.OpImport, sandlot.Arg{Name: intake.DryRun, Value: true}).
			Note("Send dry_run=true in the query:")
	}
	return dry, nil
}

// importAnswer is the report of an import.
type importAnswer struct {
	DryRun   bool              `json:"dry_run"`
	Imported int               `json:"imported"`
	Replayed int               `json:"replayed"`
	Failed   int               `json:"failed"`
	Projects []importedProject `json:"projects"`
	notes
}

type importedProject struct {
	From      string            `json:"from"`
	ProjectID text              `json:"project_id"`
	Title     text              `json:"title"`
	URL       text              `json:"url"`
	PageURL   text              `json:"page_url"`
	Versions  int               `json:"versions"`
	Files     int               `json:"files"`
	Replayed  bool              `json:"replayed"`
	Error     json.RawMessage   `json:"error,omitempty"`
	Warnings  []sandlot.Warning `json:"warnings,omitempty"`
}

// newImport returns the outcome of each project of an import.
func (a *API) newImport(c *call, r transfer.Report) *importAnswer {
	out := &importAnswer{DryRun: r.DryRun, Projects: []importedProject{}}
	for _, o := range r.Projects {
		p := importedProject{
			o.From, text(o.Adopted.Project.ID), text(o.Title), text(o.Adopted.Addresses.URL), text(o.Adopted.Addresses.Page),
			o.Versions, o.Files, o.Adopted.FromRecord, nil, o.Adopted.Warnings,
		}
		switch {
		case o.Refused != nil:
			p.Error = a.errorBody(c, o.Refused, intake.StatusOf(o.Refused.Code))
			out.Failed++
		case o.Adopted.FromRecord:
			out.Replayed++
		default:
			out.Imported++
		}
		out.Projects = append(out.Projects, p)
	}
	more := r.Warnings
	if out.Imported > 0 && !r.DryRun {
		more = append(more, sandlot.Warning{
			Code: "no_project_keys", Message: "No project keys were made: the account's key covers what was imported.",
			Hint: "For a key of one project, log in at " + a.Places.Base.String() + "/account and make one there.",
		})
	}
	out.notes = a.notes(c, more)
	return out
}

// export streams the archive while it is written. Its length is not known before, and Range is ignored: an archive is
// built anew each time.
func (a *API) export(c *call) error {
	history, err := wantsAll(c, "versions", "current", "Send versions=all for all versions that are kept, or leave it out for the current one:")
	if err != nil {
		return err
	}
	saves, err := wantsAll(c, "saves", "none", "Send saves=all for what players saved, or leave it out:")
	if err != nil {
		return err
	}
	h := c.W.Header()
	if c.head() { // without the archive, and the name that it would have
		h.Set("Content-Type", "application/zip")
		h.Set("Content-Disposition", "attachment")
		return nil
	}
	e, err := a.Reader.Export(c.R.Context(), c.By)
	if err != nil {
		return err
	}
	e.History, e.Saves = history, saves
	c.Grant.Archive(e.Files())
	h.Set("Content-Disposition",
		`attachment; filename="sandlot-`+e.Account.Handle+"-"+e.ExportedAt.UTC().Format(time.DateOnly)+`.zip"`)
	out := &lateWriter{w: c.W, contentType: "application/zip"}
	if err := a.Archive(c.R.Context(), out, e); err != nil {
		h.Del("Content-Disposition")
		return a.broken(c, out, err)
	}
	return nil
}

// wantsAll reports whether a parameter of the query is all, and not its other value.
func wantsAll(c *call, name, other, note string) (bool, error) {
	switch v := c.R.URL.Query().Get(name); v {
	case "", other:
		return false, nil
	case "all":
		return true, nil
	}
	return false, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter %s is neither all nor %s.", name, other).In(name).
		With(sandlot.OpExport).Note("%s", note)
}
