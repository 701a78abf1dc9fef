package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sandlot/internal/client"
	"sandlot/internal/expect"
	"sandlot/internal/testenv"
)

func TestAFileThatMayNotBeReadIsToldWithTheCommandThatMendsIt(t *testing.T) {
	err := unreadable("my game", &fs.PathError{Op: "open", Path: "js/a\x1b[2J.js", Err: fs.ErrPermission})
	text := err.Error()
	if code, _ := ExitCode(err); code != exitOther || !strings.HasPrefix(text, "my game/js/a.js cannot be read: permission denied; nothing was sent\n") || !strings.HasSuffix(text, "\n    chmod -R u+rX 'my game/js/a.js'") {
		t.Errorf("exit code %d: %q", code, text)
	}
}

func TestAFileWhoseNameIsNoTextIsToldWithTheCommandThatRenamesIt(t *testing.T) {
	testenv.Need(t, "sh")
	t.Chdir(t.TempDir())
	expect.OK(t, os.MkdirAll("my game/js", 0o700))
	if err := os.WriteFile("my game/js/caf\xe9's.txt", nil, 0o600); errors.Is(err, os.ErrInvalid) {
		return // not on this file system
	}
	_, err := readTree("my game")
	var f *Failure
	if !errors.As(err, &f) || len(f.Fix) != 1 || !strings.Contains(f.Message, "is not UTF-8") {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", f.Fix[0]).CombinedOutput()
	expect.OK(t, err, string(out))
	now, err := readTree("my game")
	expect.OK(t, err)
	defer now.root.Close()
	expect.Equal(t, "the name", now.files[0].name, "js/caf_'s.txt")
}

func TestNamesOfFilesCannotActInATerminal(t *testing.T) {
	d := newDesk(t, nil)
	d.say("left out: %s", "a\x1b[31m\u202eb\r")
	d.say("  new      b")
	expect.Equal(t, "what is said", d.err.String(), "left out: ab\n  new      b\n")
	expect.Equal(t, "an error", (&Failure{Message: "a\x1b]0;x\x07b\nc", Notes: []string{"d\x1b[2J"}}).Error(), "ab c\n  d")
}

func TestAWarningsCallIsACommand(t *testing.T) {
	d := newDesk(t, nil)
	d.Args = []string{"publish", "game", "--new", "--server", "http://a"}
	for _, c := range []struct{ code, hint, want string }{
		{"looks_published", "Update it instead.\ncurl http://a/v1/update -H 'Authorization: Bearer <api_key>' --form-string project_id=one-1 -F 'archive=@<archive>'", "sandlot publish game --server http://a --id one-1"},
		{"missing_file", "Send it.\ncurl http://a/v1/update --form-string project_id=one-1 --form-string filename=js/a.js -F 'content=@<file>'", "sandlot update '<file>' --as js/a.js --id one-1 --server http://a"},
		{"needs_threads", "Switch it on.\ncurl -X PATCH http://a/v1/project/one-1\x1b[2J", "curl -X PATCH http://a/v1/project/one-1"},
		{"mail_not_sent", "The operator can read it.", ""},
	} {
		expect.Equal(t, c.code, d.mends(client.Warning{Code: c.code, Hint: c.hint}), c.want)
	}
}
