package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// An Import is the ZIP of an export, from this server or another one.
type Import struct {
	Archive        io.Reader // read once, as it is sent
	Size           int64     // of Archive in bytes; 0: not known
	IdempotencyKey string    // a repetition with the same key imports no project twice, and continues after a broken call
	DryRun         bool      // check everything, and change nothing
}

// Imported is the result for each project of an export.
type Imported struct {
	Text
	DryRun   bool              `json:"dry_run"`
	Imported int               `json:"imported"`
	Replayed int               `json:"replayed"` // already imported by an earlier call with the same key
	Failed   int               `json:"failed"`
	Projects []ImportedProject `json:"projects"` // in the order of the export
	Warnings []Warning         `json:"warnings"`
}

// An ImportedProject is one project of an export: imported whole, or refused.
type ImportedProject struct {
	From      string    `json:"from"`       // its id in the export
	ProjectID string    `json:"project_id"` // its id here; empty: refused, or a dry run
	Title     string    `json:"title"`
	URL       string    `json:"url"`
	PageURL   string    `json:"page_url"`
	Versions  int       `json:"versions"`
	Files     int       `json:"files"` // of the current version
	Replayed  bool      `json:"replayed"`
	Refused   *Error    `json:"error"` // nil: it was imported
	Warnings  []Warning `json:"warnings"`
}

// Import imports the projects of an export into the account of the key: each of them whole or not at all, under a new
// id. A refused project is no error.
func (c *Client) Import(ctx context.Context, in Import) (out Imported, err error) {
	query := url.Values{}
	if in.DryRun {
		query.Set("dry_run", "true")
	}
	req, err := c.request(ctx, http.MethodPost, in.Archive, query, "import")
	if err != nil {
		return out, err
	}
	req.Header.Set("Content-Type", "application/zip")
	if in.Size > 0 {
		req.ContentLength = in.Size
	}
	if in.IdempotencyKey != "" {
		req.Header.Set("Idempotency-Key", in.IdempotencyKey)
	}
	_, err = c.decode(req, &out)
	return out, err
}
