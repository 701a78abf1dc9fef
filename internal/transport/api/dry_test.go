package api

import (
	"net/http"
	"testing"

	"sandlot"
)

// A query that cannot be read in part would be read without that part: which may name the project, or ask for a dry run.
func TestAChangeWithAQueryThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	zipped := oneExport(t, 1, 10)
	tar := func(r *http.Request) { r.Header.Set("Content-Type", "application/zip") }
	w.unchanged(func() {
		for _, query := range []string{"?dry_run=%zz", "?a=1;dry_run=true", "?project_id=%", "?dryRun=true", "?dry-run", "?dry_run=true&dry_run=false", "?dry_run"} {
			for _, path := range []string{"/v1/publish", "/v1/update", "/v1/import"} {
				w.send("POST", path+query, w.account, zipped, tar, lax).refused(400, sandlot.CodeInvalidField)
			}
		}
	})
}

func TestADryRunThatATicketWasNotAskedForIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt"})
	dry := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt", "dry_run": true})
	query := func(q string) func(*http.Request) { return func(r *http.Request) { r.URL.RawQuery = q } }
	w.unchanged(func() {
		for _, q := range []string{"dry_run=true", "DryRun=1", "dry_run=%zz", "dry_run"} {
			w.bytes(at, "x", query(q), lax).refused(400, sandlot.CodeInvalidField)
		}
		w.bytes(dry, "x", query("dry_run=true"), lax).wants(200)
	})
	w.bytes(at, "x", query("dry_run=false"), lax).wants(200)
}
