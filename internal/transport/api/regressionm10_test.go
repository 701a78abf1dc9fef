package api

import (
	"maps"
	"strings"
	"testing"

	"sandlot"
)

// TestRegressionM10AHintKeepsWhatGuards: the call of a hint has the field whose value was refused, or changes nothing.
func TestRegressionM10AHintKeepsWhatGuards(t *testing.T) {
	t.Parallel()
	w := settled(t)
	update := obj{"project_id": w.projectID, "filename": "a.txt", "text": "A"}
	calls := map[string]obj{
		"POST /v1/publish": {"title": "Mine", "text": page}, "POST /v1/update": update,
		"POST /v1/restore": {"project_id": w.projectID, "version": 1}, "POST /v1/delete-file": {"project_id": w.projectID, "filename": "logo.svg"},
		"PATCH /v1/project/" + w.projectID: {"title": "Other"}, "DELETE /v1/project/" + w.projectID: {"confirm": w.projectID}, "POST /v1/signup": {"handle": "ada"},
	}
	for call, body := range calls {
		method, path, _ := strings.Cut(call, " ")
		for name, value := range map[string]any{"dry_run": "yes", "dryRun": true, "validate_only": true, "preview": true, "test": true} {
			t.Run(call+" "+name, func(t *testing.T) {
				w.in(t)
				with := maps.Clone(body)
				with[name] = value
				w.unchanged(func() {
					hint := w.send(method, path, w.account, with).refused(400, sandlot.CodeInvalidField).str("hint")
					lines := shellLines(t, hint)
					last := lines[len(lines)-1]
					changes := strings.ContainsAny(strings.NewReplacer("'Authorization: Bearer <api_key>'", "", "-H", "").Replace(last), "{}'") || strings.Contains(last, "-X ")
					if changes && !saysField(last, "dry_run=true") {
						t.Errorf("pasted, it is done: %s", hint)
					}
				})
			})
		}
	}
	for name, value := range map[string]any{"if_version": "latest", "replace": "yes", "sha256": "abc", "size": "large"} {
		t.Run(name, func(t *testing.T) {
			w.in(t)
			with := maps.Clone(update)
			with[name] = value
			w.unchanged(func() {
				hint := w.post("/v1/update", w.account, with).refused(400, sandlot.CodeInvalidField).str("hint")
				if strings.Contains(hint, "/v1/update") && !leftOpen(hint, name) {
					t.Errorf("the hint drops %s: %s", name, hint)
				}
				with["dry_run"], with["content"] = "yes", "!"
				delete(with, "text")
				hint = w.post("/v1/update", w.account, with).str("hint")
				if strings.Contains(hint, "/v1/update") && !(saysField(hint, "dry_run=true") && leftOpen(hint, name)) {
					t.Errorf("for another fault the hint drops them: %s", hint)
				}
			})
		})
	}
	t.Run("a digest that does not match", func(t *testing.T) {
		w.in(t)
		with := maps.Clone(update)
		with["sha256"] = strings.Repeat("0", 64)
		if hint := w.post("/v1/update", w.account, with).refused(422, sandlot.CodeDigestMismatch).str("hint"); !saysField(hint, "sha256=<sha256 of the file>") {
			t.Errorf("the hint drops it: %s", hint)
		}
	})
}

// leftOpen reports whether a hint has a field with a placeholder for its value.
func leftOpen(hint, name string) bool {
	return strings.Contains(hint, name+"=<") || strings.Contains(hint, `"`+name+`":"<`)
}
