package api

import (
	"strings"
	"testing"

	"sandlot/internal/publish"
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
					w.send(method, path, w.account, with(name, true), lax).refused(400, publish.CodeInvalidField)
				}
				w.send(method, path+"?dry_run=true", w.account, body, lax).refused(400, publish.CodeInvalidField)
				w.send(method, path+"?dry_run=true", w.account, with("dry_run", false), lax).refused(400, publish.CodeInvalidField)
				if path != "/v1/publish" && path != "/v1/update" {
					w.send(method, path, w.account, with("dry_run", true), lax).refused(400, publish.CodeInvalidField)
				}
			})
		})
	}
	w.in(t)
	w.send("POST", "/v1/update?dry_run=true", w.account, obj{"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg>x</svg>"), "dry_run": true}, lax).wants(200)
	w.send("POST", "/v1/update", w.account, obj{"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg>x</svg>"), "dryRun": false}, lax).wants(200)
}
