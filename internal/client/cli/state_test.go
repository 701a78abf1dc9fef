package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestAStateThatIsNotOneOfOursIsRefusedInASentence(t *testing.T) {
	const good = `{"server":"https://a.example","project_id":"a-b","path":".","version":1}`
	state := filepath.Join(stateFolder, stateFile)
	write := func(text string) func() error {
		return func() error { return os.WriteFile(state, []byte(text), 0o600) }
	}
	for name, set := range map[string]func() error{
		"huge":              write(good + strings.Repeat(" ", stateMax)),
		"deep":              write(`{"server":` + strings.Repeat("[", 30_000)),
		"a folder":          func() error { return os.Mkdir(state, 0o700) },
		"a link to itself":  func() error { return os.Symlink(stateFile, state) },
		"a newer format":    write(strings.Replace(good, "{", `{"format":2,`, 1)),
		"another type":      write(strings.Replace(good, `:1`, `:"1"`, 1)),
		"a path outside":    write(strings.Replace(good, `"."`, `"../x"`, 1)),
		"a path further in": write(strings.Replace(good, `"."`, `"a/b"`, 1)),
		"no project":        write(strings.Replace(good, "a-b", "", 1)),
		"an odd project":    write(strings.Replace(good, "a-b", `../\u001b[2J`, 1)),
		"an odd server":     write(strings.Replace(good, "https:", "file:", 1)),
		"a negative":        write(strings.Replace(good, ":1", ":-1", 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			expect.OK(t, os.Mkdir(stateFolder, 0o700))
			expect.OK(t, set())
			_, err := readWork(".", false)
			if code, _ := ExitCode(err); err == nil || code != exitUsage || !strings.Contains(err.Error(), "cannot be used: ") || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("exit code %d: %v", code, err)
			}
		})
	}
}

func TestWhatWasPublishedIsToldEvenIfTheFolderCannotNoteItDown(t *testing.T) {
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		expect.OK(t, os.RemoveAll(stateFolder)) // the disk is full by now, as it were
		expect.OK(t, os.WriteFile(stateFolder, nil, 0o600))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"project_id":"a-1","url":"http://a-1.localhost/","version":1,"project_api_key":%q,"handle":"ada"}`, projectKeyText)
	})
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	d.Args = []string{"publish", "a.html"}
	expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
	err := (&publishCommand{Path: "a.html", target: target{host: host{Server: server}}}).Run(t.Context(), d.Env)
	if code, _ := ExitCode(err); code != exitOther || !strings.Contains(fmt.Sprint(err), "version 1 of a-1 is there, but this folder could not note it down") {
		t.Errorf("exit code %d: %v", code, err)
	}
	if !strings.Contains(d.out.String(), "http://a-1.localhost/") {
		t.Errorf("it printed %q", d.out.String())
	}
}
