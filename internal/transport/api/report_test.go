package api

import (
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// reporter makes a trusted reporter, and returns the token.
func (w *world) reporter(name string) string {
	w.t.Helper()
	token, err := w.api.Reporters.Add(w.t.Context(), sandlot.AsOperator(""), name)
	expect.OK(w.t, err)
	return token.Reveal()
}

func TestATrustedReporterReportsByTheAPI(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.projectID
	token := w.reporter("registrar")
	send := func(key string, body obj) (int, obj) {
		t.Helper()
		got := w.post("/v1/report", key, body)
		return got.status, got.body
	}
	fields := obj{"project": "hxxps://" + id + "[.]example[.]net/a?b", "reason": "deceptive", "details": "a form", "contact": "cert@people.internal"}
	status, first := send(token, fields)
	expect.Equal(t, "the status", status, http.StatusCreated)
	expect.Same(t, "the answer", []any{first["project_id"], first["status"]}, []any{id, "open"})
	if number, _ := first["case"].(string); !strings.HasPrefix(number, "R-") {
		t.Errorf("the case is %v", first["case"])
	}
	_, again := send(token, fields)
	expect.Same(t, "the same words again", again["case"], first["case"])
	status, _ = send(token, obj{"project": id, "reason": "other", "details": nil, "contact": nil})
	expect.Equal(t, "null for optional fields", status, http.StatusCreated)
	for name, tc := range map[string]struct {
		key    string
		body   obj
		status int
		code   string
	}{
		"no token":           {"", fields, 401, "key_required"},
		"an unknown token":   {"slf_" + strings.Repeat("a", 36), fields, 401, "invalid_key"},
		"an unknown project": {token, obj{"project": "none-abc123", "reason": "other"}, 404, "project_not_found"},
		"another reason":     {token, obj{"project": id, "reason": "bad"}, 400, "invalid_field"},
		"no reason":          {token, obj{"project": id}, 400, "missing_field"},
		"no project":         {token, obj{"reason": "other"}, 400, "missing_field"},
		"no address":         {token, obj{"project": id, "reason": "other", "contact": "a"}, 400, "invalid_email"},
	} {
		status, body := send(tc.key, tc.body)
		expect.Same(t, name, []any{status, body["error"]}, []any{tc.status, tc.code})
		if hint, _ := body["hint"].(string); hint == "" {
			t.Errorf("%s has no hint", name)
		}
	}
	_, corrected := send(token, obj{"project": id, "reason": "spam", "details": "a form"})
	expect.Same(t, "the corrected call", corrected["fix"], any(obj{"operation": "report", "arguments": obj{"project": id, "reason": "other", "details": "a form"}}))
	status, body := send("", fields)
	hint, _ := body["hint"].(string)
	expect.Equal(t, "without a token", status, 401)
	expect.Contains(t, "the hint", hint, "/report")
	w.get("/v1/whoami", token).wants(http.StatusUnauthorized)
}
