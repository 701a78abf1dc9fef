package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestTheCommandOfUploadSendsAFolder as it is printed: first of nobody's, which then is a project with an edit_token, and then into that.
func TestTheCommandOfUploadSendsAFolder(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "curl", "tar", "sh")
	service := testenv.Start(t, testenv.Binary(t))
	a := &goAgent{address: service.URL() + "/mcp"}
	a.connect(t, "")
	folder := t.TempDir()
	write := func(name, text string) { expect.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)) }
	write("index.html", page)
	write("sound.bin", strings.Repeat("\x00\xff", 500))
	ask := object{"archive": true, "title": "Sky Hopper"}
	made := run(t, folder, text(done(t, a, "upload", ask), "command"))
	project, token := text(made, "project_id"), text(made, "edit_token")
	if project == "" || !strings.HasPrefix(token, "sle_") || text(made, "api_key") != "" {
		t.Fatalf("the command answers %v", made)
	}
	write("index.html", strings.Replace(page, "Hop</h1>", "Jump</h1>", 1))
	run(t, folder, text(done(t, a, "upload", object{"project": project, "edit_token": token, "archive": true}), "command"))
	got := done(t, a, "get_project", object{"project": project, "edit_token": token, "file": "index.html"})
	expect.Contains(t, "the page", text(got, "text"), "<h1>Jump</h1>")
	binary := done(t, a, "get_project", object{"project": project, "edit_token": token, "file": "sound.bin"})
	expect.Equal(t, "the text of bytes", text(binary, "text"), "")
}

// run runs a command in a shell in that folder, and returns the JSON that it prints.
func run(t *testing.T, folder, command string) (printed object) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Dir = folder
	out, err := c.Output()
	expect.OK(t, err, command, string(out))
	expect.OK(t, json.Unmarshal(out, &printed), string(out))
	return printed
}
