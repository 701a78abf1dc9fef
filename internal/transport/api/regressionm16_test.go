package api

import (
	"crypto/rand"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM16LostKeysLeadToTheAccount: whoever has no key that fits is led to the page where the user makes one, and not to another publish.
func TestRegressionM16LostKeysLeadToTheAccount(t *testing.T) {
	t.Parallel()
	w := settled(t)
	other := w.post("/v1/publish", "", obj{"email": "other@example.org", "content": page64}).wants(201)
	change := obj{"project_id": w.projectID, "filename": "a.txt", "text": "A"}
	led := func(name string, got answer) {
		t.Helper()
		hint := got.str("hint")
		if !strings.Contains(hint, "don't publish again: your user logs in at http://localhost:8080/account by e-mail and makes a new key") || strings.Contains(hint, "/v1/publish -") {
			t.Errorf("%s: %s", name, hint)
		}
	}
	led("no key", w.post("/v1/update", "", change).refused(401, sandlot.CodeKeyRequired))
	led("a key that was cut", w.post("/v1/update", w.project[:20], change).refused(401, sandlot.CodeInvalidKey))
	led("a key that was revoked", w.post("/v1/update", minted(t), change).refused(401, sandlot.CodeInvalidKey))
	led("another's key", w.post("/v1/update", other.str("api_key"), change).refused(403, sandlot.CodeWrongProject))
	led("a scoped key", w.send("DELETE", "/v1/project/"+w.projectID, w.project, obj{"confirm": w.projectID}).refused(403, sandlot.CodeAccountKeyRequired))
	for _, path := range []string{"/v1/login", "/v1/recover", "/v1/recovery", "/v1/keys", "/v1/api-keys", "/v1/auth/login", "/v1/auth/token", "/auth/magic-link", "/v1/account/keys", "/v1/session", "/v1/token", "/v1/reset-password", "/v1/forgot"} {
		for _, method := range []string{"GET", "POST"} {
			led(method+" "+path, w.send(method, path, "", nil).refused(404, sandlot.CodeNotFound))
		}
	}
}

// minted is a key in the right form that nobody has.
func minted(t *testing.T) string {
	t.Helper()
	key, err := sandlot.MintSecret(sandlot.AccountKey, rand.Reader)
	expect.OK(t, err)
	return key.Reveal()
}
