package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// folder makes a folder with files, and returns their names as readTree lists them.
func folder(t *testing.T, files ...string) func(dir string) (sent, leftOut []string) {
	t.Chdir(t.TempDir())
	for _, name := range files {
		expect.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		expect.OK(t, os.WriteFile(name, []byte(name), 0o600))
	}
	return func(dir string) (sent, leftOut []string) {
		now, err := readTree(t.Context(), dir)
		expect.OK(t, err)
		defer now.root.Close()
		for _, f := range now.files {
			sent = append(sent, f.name)
		}
		return sent, now.leftOut
	}
}

func TestFilesOfToolsSecretsAndExportsAreNotPublished(t *testing.T) {
	list := folder(t, "index.html", ".well-known/a", ".env", ".git/config", ".sandlot/project.json", "node_modules/a/b.js", "key.pem", exportName)
	sent, leftOut := list(".")
	expect.Same(t, "sent", sent, []string{".well-known/a", "index.html"})
	expect.Same(t, "left out", leftOut, []string{".env", "key.pem", "node_modules/", exportName})
}

func TestFilesThatGitIgnoresAreNotPublished(t *testing.T) {
	testenv.Need(t, "git")
	list := folder(t, "index.html", "js/a.js", "js/b.psd", "notes/a", "dist/index.html", "dist/a.psd", "dist/sub/a")
	expect.OK(t, exec.Command("git", "init", "-q").Run())
	expect.OK(t, os.WriteFile(".gitignore", []byte("*.psd\nnotes\ndist\n"), 0o600))
	// A stranger's repository may name a program that is started when files are listed.
	expect.OK(t, exec.Command("git", "config", "core.fsmonitor", "touch started; false").Run())
	sent, leftOut := list(".")
	expect.Same(t, "sent", sent, []string{"index.html", "js/a.js"})
	expect.Same(t, "left out", leftOut, []string{".gitignore", "dist/", "js/b.psd", "notes/"})
	sent, _ = list("js")
	expect.Same(t, "sent of a folder further in", sent, []string{"a.js"})
	sent, _ = list("dist")
	expect.Same(t, "sent of a folder that git ignores", sent, []string{"a.psd", "index.html", "sub/a"})
	if _, err := os.Stat("started"); err == nil {
		t.Error("a program of the repository was started")
	}
}
