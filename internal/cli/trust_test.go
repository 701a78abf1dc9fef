package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"sandlot/internal/expect"
)

func TestLoginSendsNoKeyToAServerThatOnlyAFileOfTheFolderNames(t *testing.T) {
	d := newDesk(t, nil)
	d.In = strings.NewReader(accountKeyText + "\n")
	d.HTTP = roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("something was sent")
		return nil, os.ErrClosed
	})
	expect.OK(t, os.Mkdir(stateFolder, 0o700))
	expect.OK(t, os.WriteFile(stateFolder+"/"+stateFile, []byte(`{"server":"https://evil.example","project_id":"a-1","path":"."}`), 0o600))
	err := (&loginCommand{}).Run(t.Context(), d.Env)
	if err == nil || !strings.Contains(err.Error(), "--server https://evil.example") {
		t.Error(err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
