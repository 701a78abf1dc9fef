package api

import (
	"net/http"
	"strings"
	"testing"

	"sandlot"
)

// A dry run that is asked for under another name, in an address whose query is not read, or of a call that has none, must not
// be made in earnest.
func TestADryRunThatIsNotReadIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	calls := map[string]obj{
		"POST /v1/publish":                  {"content": b64("<b>x</b>")},
		"POST /v1/update":                   {"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg>x</svg>")},
		"POST /v1/restore":                  {"project_id": w.projectID, "version": 1},
		"POST /v1/delete-file":              {"project_id": w.projectID, "filename": "logo.svg"},
		"PATCH /v1/project/" + w.projectID:  {"title": "Other"},
		"DELETE /v1/project/" + w.projectID: {"confirm": w.projectID},
	}
	for call, body := range calls {
		t.Run(call, func(t *testing.T) {
			w.in(t)
			method, path, _ := strings.Cut(call, " ")
			with := func(name string, value any) obj {
				all := obj{name: value}
				for name, value := range body {
					all[name] = value
				}
				return all
			}
			w.unchanged(func() {
				for _, name := range []string{"dryrun", "dryRun", "dry-run", "Dry_Run", "dry"} {
					w.send(method, path, w.account, with(name, true), lax).refused(400, sandlot.CodeInvalidField)
				}
				w.send(method, path+"?dry_run=true", w.account, body, lax).refused(400, sandlot.CodeInvalidField)
				w.send(method, path+"?dry_run=true", w.account, with("dry_run", false), lax).refused(400, sandlot.CodeInvalidField)
				if path != "/v1/publish" && path != "/v1/update" {
					w.send(method, path, w.account, with("dry_run", true), lax).refused(400, sandlot.CodeInvalidField)
				}
			})
		})
	}
	w.in(t)
	w.send("POST", "/v1/update?dry_run=true", w.account, obj{"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg>x</svg>"), "dry_run": true}, lax).wants(200)
	w.send("POST", "/v1/update", w.account, obj{"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg>x</svg>"), "dryRun": false}, lax).wants(200)
}

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
