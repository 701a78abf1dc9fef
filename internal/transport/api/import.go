package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

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
		Archive: whole{c.Body, c}, Size: c.R.ContentLength, Idempotency: c.R.Header.Get(intake.IdempotencyKey), DryRun: dry, Charge: c.Grant.Charge(),
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
	h := c.R.Header
	if e := strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ", ")); e != "" && !strings.EqualFold(e, "identity") {
		return false, sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "Content-Encoding isn't supported for request bodies.").In("Content-Encoding").With(sandlot.OpImport).Note("Send the archive as it is:")
	}
	if err := intake.CheckIdempotencyKey(h.Values(intake.IdempotencyKey)); err != nil {
		return false, err
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err != nil && h.Get("Content-Type") != "", err == nil && kind != "application/zip" && kind != "application/x-zip-compressed" && kind != "application/octet-stream":
		return false, sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "An import is the ZIP of an export itself, as application/zip.").In("Content-Type").With(sandlot.OpImport).Note("Send the file as the body:")
	}
	dry, refusal := c.ReadDry()
	if refusal != nil {
		return false, refusal.With(sandlot.OpImport, sandlot.Arg{Name: intake.DryRun, Value: true}).Note("Send dry_run=true in the query:")
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
	Error     object            `json:"error,omitempty"`
	Warnings  []sandlot.Warning `json:"warnings,omitempty"`
}

// newImport returns the outcome of each project of an import.
func (a *API) newImport(c *call, r transfer.Report) *importAnswer {
	out := &importAnswer{DryRun: r.DryRun, Projects: []importedProject{}}
	for _, o := range r.Projects {
		p := importedProject{
			From: o.From, ProjectID: text(o.Adopted.Project.ID), Title: text(o.Title), URL: text(o.Adopted.Addresses.URL), PageURL: text(o.Adopted.Addresses.Page),
			Versions: o.Versions, Files: o.Files, Replayed: o.Adopted.FromRecord, Warnings: o.Adopted.Warnings,
		}
		switch {
		case o.Refused != nil:
			p.Error = a.errorBody(c, o.Refused, codes[o.Refused.Code].status)
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
		more = append(more, sandlot.Warning{Code: "no_project_keys", Message: "No project keys were made: the account's key covers what was imported.", Hint: "For a key of one project, log in at " + a.Places.Base.String() + "/account and make one there."})
	}
	if out.Imported > 1 && !r.DryRun && c.R.Header.Get(intake.IdempotencyKey) == "" {
		more = append(more, sandlot.Warning{Code: "no_idempotency_key", Message: "The import came without an Idempotency-Key, so the same archive once more would make its projects again.", Hint: "Send the header Idempotency-Key: " + strconv.Quote("<a random value>") + " with an import, and the same again if its answer is lost."})
	}
	out.notes = a.notes(c, more)
	return out
}
