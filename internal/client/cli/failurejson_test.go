package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// everyCommand runs each command as a program does that reads its answer.
func everyCommand(at target) map[string]func(context.Context, *Env) error {
	return map[string]func(context.Context, *Env) error{
		"login":   (&loginCommand{host: at.host}).Run,
		"publish": (&publishCommand{Path: "a.html", target: target{host: host{Server: at.Server}}}).Run,
		"dry run": (&publishCommand{Path: "a.html", DryRun: true, target: at}).Run,
		"update":  (&updateCommand{Path: "a.html", target: at}).Run,
		"rm":      (&rmCommand{File: "a.html", target: at}).Run,
		"status":  (&statusCommand{target: at}).Run, "stats": (&statsCommand{target: at}).Run,
		"checks":   (&checksCommand{target: at}).Run,
		"versions": (&versionsCommand{Limit: 1, target: at}).Run, "restore": (&restoreCommand{Version: 1, target: at}).Run,
		"whoami": (&whoamiCommand{Limit: 1, target: at}).Run, "export": (&exportCommand{host: at.host}).Run, "open": (&openPageCommand{at}).Run,
	}
}

func TestAProgramGetsEveryErrorAsOneObject(t *testing.T) {
	const refusal = `{"error":"upload_exists","message":"No.","hint":"Wait:\n\ncurl x","later":{"a":1}}`
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		error   string
		exit    int
	}{
		"a refusal": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, refusal)
		}, "upload_exists", exitConflict},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<h1>") }, "no_answer", exitServer},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://b.example", http.StatusPermanentRedirect)
		}, "no_answer", exitServer},
		"no answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no_answer", exitServer},
	} {
		server := answers(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			c.handler(w, r)
		})
		for command, run := range everyCommand(target{host{server, true}, "a-b"}) {
			t.Run(name+"/"+command, func(t *testing.T) {
				d := newDesk(t, map[string]string{keyVariable: accountKeyText})
				d.In = strings.NewReader(accountKeyText + "\n")
				d.Args = []string{strings.Fields(command)[0], "--json"}
				expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
				err := run(t.Context(), d.Env)
				if command == "export" && name == "a page" {
					return // whatever is no export is that alone
				}
				code, _ := ExitCode(err)
				text := d.FailureJSON(err, code)
				var got struct{ Error, Message, Hint string }
				expect.OK(t, json.Unmarshal([]byte(text), &got))
				if code != c.exit || got.Error != c.error || got.Message == "" || got.Hint == "" || d.out.Len() > 0 {
					t.Errorf("exit code %d and %s, after %q", code, text, d.out.String())
				}
				if name == "a refusal" && text != refusal {
					t.Errorf("not the answer of the API: %s", text)
				}
			})
		}
	}
}

func TestWhoeverReadsLinesGetsNoJSON(t *testing.T) {
	d := newDesk(t, nil)
	d.Args = []string{"rm", "--", "--json"}
	err := usage("No.\n")
	expect.Equal(t, "without the flag", d.FailureJSON(err, exitUsage), "")
	d.Args = []string{"status", "--json"}
	expect.Equal(t, "with it", d.FailureJSON(err, exitUsage), `{"error":"wrong_call","message":"No.","exit_code":2}`)
	full := d.FailureJSON(errors.New("the disk is full"), exitOther)
	expect.Equal(t, "of the machine", full, `{"error":"local_failure","message":"the disk is full","exit_code":1}`)
	d.printed = true
	expect.Equal(t, "behind an answer", d.FailureJSON(err, exitUsage), "")
}
