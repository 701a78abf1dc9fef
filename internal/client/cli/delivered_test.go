package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestKeysThatCouldNotBeKeptComeAgainWithTheSameCommand(t *testing.T) {
	var calls []string
	var settings string
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if calls = append(calls, r.Header.Get("Idempotency-Key")); len(calls) == 1 { // the disk is full by now, as it were
			expect.OK(t, os.Remove(filepath.Join(settings, "sandlot", "keys")))
			expect.OK(t, os.Mkdir(filepath.Join(settings, "sandlot", "keys"), 0o700))
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"project_id":"a-1","version":1,"api_key":%q,"project_api_key":%q,"handle":"ada"}`, accountKeyText, projectKeyText)
	})
	d := newDesk(t, nil)
	var err error
	settings, err = d.Config()
	expect.OK(t, err)
	made := 0
	d.Random = func() string { made++; return fmt.Sprint("random-", made) }
	expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
	c := &publishCommand{Path: "a.html", Email: "me@example.com", target: target{Server: server}}
	if c.Run(t.Context(), d.Env) == nil {
		t.Fatal("the keys were kept where no file can be")
	}
	expect.OK(t, os.Remove(filepath.Join(settings, "sandlot", "keys")))
	expect.OK(t, c.Run(t.Context(), d.Env))
	if len(calls) != 2 || calls[0] != calls[1] {
		t.Errorf("the second run made another call: %q", calls)
	}
	if keys, err := (keyring{path: filepath.Join(settings, "sandlot", "keys")}).read(server); err != nil || len(keys) != 2 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}
