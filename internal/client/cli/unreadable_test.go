package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAFileThatMayNotBeReadIsToldWithTheCommandThatMendsIt(t *testing.T) {
	err := unreadable("my game", &fs.PathError{Op: "open", Path: "js/a\x1b[2J.js", Err: fs.ErrPermission})
	text := err.Error()
	if code, _ := ExitCode(err); code != exitOther || !strings.HasPrefix(text, "my game/js/a.js cannot be read: permission denied; nothing was sent\n") || !strings.HasSuffix(text, "\n    chmod -R u+rX 'my game/js/a.js'") {
		t.Errorf("exit code %d: %q", code, text)
	}
}

func TestAFileWhoseNameCanBeNoAddressIsToldWithTheCommandThatRenamesIt(t *testing.T) {
	testenv.Need(t, "sh")
	for _, c := range []struct {
		files      []string
		says, name string
	}{
		{[]string{"js/caf\xe9's.txt"}, "is not UTF-8", "js/caf_'s.txt"},
		{[]string{`js/a\b.js`}, "has a backslash", "js/a_b.js"},
		{[]string{`a\b.js`, "a_b.js"}, "has a backslash", "a_b-2.js"},
		{[]string{"gro\u0308.js", "gr\u00f6.js"}, "is that of another file", "gr\u00f6-2.js"},
	} {
		t.Chdir(t.TempDir())
		expect.OK(t, os.MkdirAll("my game/js", 0o700))
		for _, name := range c.files {
			if err := os.WriteFile("my game/"+name, nil, 0o600); errors.Is(err, os.ErrInvalid) {
				return // not on this file system
			}
		}
		_, err := readTree("my game")
		expect.OK(t, paste(t, err, c.says))
		now, err := readTree("my game")
		expect.OK(t, err)
		var names []string
		for _, f := range now.files {
			names = append(names, f.name)
		}
		_ = now.root.Close()
		if !slices.Contains(names, c.name) || len(names) != len(c.files) {
			t.Errorf("%q became %q", c.files, names)
		}
	}
}

func TestAFileThatNoArchiveMayHoldIsLeftOutByTheCommandThatIsTold(t *testing.T) {
	testenv.Need(t, "sh")
	for _, name := range []string{"intro.mp4", "a [1]*.bin", "js/it's.bin"} {
		t.Chdir(t.TempDir())
		expect.OK(t, os.MkdirAll("my game/js", 0o700))
		for _, each := range []string{"index.html", "a 1x.bin", name} {
			expect.OK(t, os.WriteFile("my game/"+each, nil, 0o600))
		}
		expect.OK(t, os.WriteFile("my game/"+rulesFile, []byte("*.psd"), 0o600)) // without an end of its line
		folder := func() delivery {
			now, err := readTree("my game")
			expect.OK(t, err)
			t.Cleanup(func() { _ = now.root.Close() })
			for i := range now.files {
				if now.files[i].path == name {
					now.files[i].size = fileMost + 1
				}
			}
			return delivery{call: "publish", many: true, tree: now}
		}
		_, err := (&session{}).send(t.Context(), work{}, folder())
		expect.OK(t, paste(t, err, "has 104857601 bytes, and a file of a folder has at most 104857600; nothing was sent"))
		d := folder()
		expect.Equal(t, "files that are left", len(d.tree.files), 2)
		expect.OK(t, d.fits())
		expect.OK(t, delivery{call: "update", tree: &tree{files: []localFile{{path: name, size: fileMost + 1}}}}.fits())
	}
}

// paste runs the first command that an error proposes.
func paste(t *testing.T, err error, says string) error {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) || len(f.Fix) == 0 || !strings.Contains(f.Message, says) {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", f.Fix[0]).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s: %s", err, f.Fix[0], out)
	}
	return nil
}

func TestAFileWhoseNameTheServerDoesNotTakeIsRenamedByTheCommandThatIsTold(t *testing.T) {
	testenv.Need(t, "sh")
	for _, c := range []struct {
		files                  []string
		code, says, hint, name string
	}{
		{[]string{"it's \"q\".js"}, "invalid_filename", `The filename "it's \"q\".js" contains the character ".`, "Rename that file. A name that works: it's -q-.js\nThe rest of the body wasn't read.\ntar -cz . | curl x", "it's -q-.js"},
		{[]string{"a\nb.js", "a-b.js"}, "invalid_filename", `The filename "a\nb.js" contains the control character U+000A.`, "A name that works: a-b.js", "a-b-2.js"},
		{[]string{"a.js", "A.js"}, "invalid_archive", `The files "a.js" and "A.js" conflict: the names differ only in case.`, "Rename one of them:\ntar -cz . | curl x", "A-2.js"},
	} {
		d := newDesk(t, nil)
		d.Args = []string{"publish", "game"}
		expect.OK(t, os.Mkdir("game", 0o700))
		for _, name := range c.files {
			if os.WriteFile("game/"+name, nil, 0o600) != nil {
				return // not on this file system
			}
		}
		err := (&session{env: d.Env, place: place{dir: "game"}}).refused(&client.Error{Code: client.Code(c.code), Status: 400, Message: c.says, Hint: c.hint})
		if strings.Contains(err.Error(), "tar -cz") || strings.Contains(err.Error(), "the body") || !strings.HasSuffix(err.Error(), "\n    sandlot publish game") {
			t.Error(err)
		}
		expect.OK(t, paste(t, err, c.says))
		if _, err := os.Stat("game/" + c.name); err != nil {
			t.Error(err)
		}
		list, _ := os.ReadDir("game")
		expect.Equal(t, "files", len(list), len(c.files))
	}
}

func TestNamesOfFilesCannotActInATerminal(t *testing.T) {
	d := newDesk(t, nil)
	d.say("left out: %s", "a\x1b[31m\u202eb\r")
	d.say("  new      b")
	expect.Equal(t, "what is said", d.err.String(), "left out: ab\n  new      b\n")
	expect.Equal(t, "an error", (&Failure{Message: "a\x1b]0;x\x07b\nc", Notes: []string{"d\x1b[2J"}}).Error(), "ab c\n  d")
}

func TestAWarningIsMendedByACommandOfThisProgram(t *testing.T) {
	d := newDesk(t, nil)
	d.Args = []string{"publish", "game", "--new", "--server", "http://a"}
	for _, c := range []struct{ code, hint, want string }{
		{"missing_file", "Send it.\ncurl http://a/v1/update --form-string project_id=one-1 --form-string filename=js/a.js -F 'content=@<file>'", "sandlot update '<file>' --as js/a.js --id one-1 --server http://a"},
		{"needs_threads", "Switch it on.\ncurl -X PATCH http://a/v1/project/one-1", ""},
		{"mail_not_sent", "The operator can read it.", ""},
	} {
		expect.Equal(t, c.code, d.mends(client.Warning{Code: c.code, Hint: c.hint}), c.want)
	}
}

func TestAnExportThatLiesInTheFolderIsNotPublished(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"index.html", exportName} {
		expect.OK(t, os.WriteFile(name, []byte(name), 0o600))
	}
	now, err := readTree(".")
	expect.OK(t, err)
	defer now.root.Close()
	expect.Equal(t, "files", len(now.files), 1)
	expect.Same(t, "left out", now.leftOut, []string{exportName})
}
