package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestChecksWithInputsSendsTheFileAndPrintsWhatHappened: a file that is not JSON is sent nowhere.
func TestChecksWithInputsSendsTheFileAndPrintsWhatHappened(t *testing.T) {
	const script = `{"inputs":[{"key":"a"}],"probe":["state.score"]}`
	sent := ""
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = r.Method + " " + r.URL.Path + " " + string(body)
		_, _ = io.WriteString(w, `{"version":2,"untrusted":true,"moved":true,"first_paint_ms":9,"frames_per_second":59.9,"probes":[{"probe":"state.score","before":0,"after":10,"error":null}],`+
			`"errors":[],"console":["log: \u001b[31mhi"],"findings":[{"code":"script_error","message":"M.","hint":"H."}]}`)
	})
	d, file := newDesk(t, map[string]string{keyVariable: projectKeyText}), filepath.Join(t.TempDir(), "inputs.json")
	command := checksCommand{Inputs: file, target: target{host{Server: server}, "a-b"}}
	for _, wrong := range []string{"", "{"} {
		if wrong != "" {
			expect.OK(t, os.WriteFile(file, []byte(wrong), 0o600))
		}
		code, _ := ExitCode(command.Run(t.Context(), d.Env))
		expect.Equal(t, "the exit code", code, exitUsage)
	}
	expect.Equal(t, "what was sent", sent, "")
	expect.OK(t, os.WriteFile(file, []byte(script), 0o600))
	expect.OK(t, command.Run(t.Context(), d.Env))
	expect.Equal(t, "what was sent", sent, "POST /v1/project/a-b/checks "+script)
	for _, want := range []string{"version", "2\n", "yes\n", "60 a second\n", "state.score: 0, then 10\n", "log: hi\n", "script_error: M.\n"} {
		expect.Contains(t, "what is printed", d.out.String(), want)
	}
}
