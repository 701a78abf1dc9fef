package cli

import (
	"fmt"
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

func TestRegression48AProjectThatOnlyAStateFileNamesStaysAsItIs(t *testing.T) {
	changed := false
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		changed = changed || r.Method != http.MethodGet
		fmt.Fprint(w, `{"project_id":"a-b","title":"Maze","url":"http://a-b.localhost/","version":2,"primary_file":"index.html","files":[]}`)
	})
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	expect.OK(t, os.Mkdir(stateFolder, 0o700))
	expect.OK(t, os.WriteFile(stateFolder+"/"+stateFile, []byte(`{"server":"`+server+`","project_id":"a-b","path":"."}`), 0o600))
	err := (&restoreCommand{Version: 1}).Run(t.Context(), d.Env)
	if code, _ := ExitCode(err); changed || code != exitUsage || !strings.Contains(fmt.Sprint(err), "--id a-b") {
		t.Errorf("changed %v, exit code %d: %v", changed, code, err)
	}
}
