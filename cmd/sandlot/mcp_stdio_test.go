package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A talk is the built program with its tools over standard input and output, and the SDK's client.
type talk struct {
	t       *testing.T
	session *sdk.ClientSession
	seen    strings.Builder // all answers
}

// talks starts the program for a server with these variables beside it.
func talks(t *testing.T, server, home string, env ...string) *talk {
	t.Helper()
	cmd := exec.Command(testenv.Binary(t), "mcp", "--server", server)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home}, env...)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	expect.OK(t, err)
	t.Cleanup(func() {
		expect.OK(t, session.Close(), "the program ends with its input")
	})
	return &talk{t: t, session: session}
}

// call makes a call of a tool and returns its data.
func (k *talk) call(name string, arguments map[string]any) (data map[string]any, failed bool) {
	k.t.Helper()
	out, err := k.session.CallTool(k.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	expect.OK(k.t, err)
	text, err := json.Marshal(out)
	expect.OK(k.t, err)
	k.seen.Write(text)
	data, _ = out.StructuredContent.(map[string]any)
	return data, out.IsError
}

func (k *talk) done(name string, arguments map[string]any) map[string]any {
	k.t.Helper()
	data, failed := k.call(name, arguments)
	if failed {
		k.t.Fatalf("%s is refused: %v", name, data)
	}
	return data
}

// TestTheToolsOverStdioAreThoseOfTheServer and use the keys of the command line, which no answer has.
func TestTheToolsOverStdioAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	home := t.TempDir()
	server := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1) // the Host that serves the documents
	k := talks(t, server, home)
	list, err := k.session.ListTools(t.Context(), nil)
	expect.OK(t, err)
	expect.Equal(t, "tools", len(list.Tools), 9)
	made := k.done("publish", map[string]any{"html": "<!doctype html><title>Kites</title>", "email": "ada@mail.internal"})
	id, _ := made["project"].(string)
	kept, err := os.ReadFile(filepath.Join(home, "sandlot", "keys"))
	expect.OK(t, err)
	if !strings.Contains(string(kept), `"key":"sla_`) || !strings.Contains(string(kept), `"project_id":"`+id+`"`) {
		t.Errorf("the keys are %s", kept)
	}
	again := k.done("update", map[string]any{"project": made["url"], "files": []any{map[string]any{"filename": "a.js", "text": "let a"}}})
	expect.Equal(t, "version", again["version"], any(2.0))
	expect.Equal(t, "projects", k.done("list_projects", nil)["found"], any(1.0))
	second := k.done("publish", map[string]any{"html": "<!doctype html><title>Boats</title>"})
	expect.Equal(t, "projects of the same account", k.done("list_projects", nil)["found"], any(2.0))
	up := k.done("upload", map[string]any{"project": second["project"], "archive": true})
	if command, _ := up["command"].(string); !strings.HasPrefix(command, "tar -czf - . | curl -T - ") {
		t.Errorf("upload is %v", up)
	}
	read, err := k.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sandlot://guide"})
	expect.OK(t, err)
	if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, server) {
		t.Error("the guide is not that of the server")
	}
	for _, prefix := range []string{"sla_", "slp_"} {
		if strings.Contains(k.seen.String(), prefix) {
			t.Errorf("an answer has a key %s", prefix)
		}
	}
}

// TestTheToolsOverStdioTakeTheKeyOfTheVariable, and name the missing key without one.
func TestTheToolsOverStdioTakeTheKeyOfTheVariable(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	first := talks(t, s.URL(), t.TempDir())
	data, failed := first.call("list_projects", nil)
	if !failed || data["error"] != "key_required" {
		t.Errorf("without a key it is %v", data)
	}
	home := t.TempDir()
	made := talks(t, s.URL(), home).done("publish", map[string]any{"html": "<!doctype html><title>Kites</title>", "email": "ada@mail.internal"})
	text, err := os.ReadFile(filepath.Join(home, "sandlot", "keys"))
	expect.OK(t, err)
	_, rest, _ := strings.Cut(string(text), `"key":"slp_`)
	k := talks(t, s.URL(), t.TempDir(), "SANDLOT_KEY=slp_"+rest[:36])
	got := k.done("get_project", map[string]any{"project": made["project"], "file": "index.html"})
	if text, _ := json.Marshal(got); !strings.Contains(string(text), "Kites") {
		t.Errorf("the file is %s", text)
	}
	s.Stop(t)
	data, failed = talks(t, s.URL(), home).call("versions", map[string]any{"project": made["project"]})
	if !failed || data["error"] != "unavailable" {
		t.Errorf("without the server it is %v", data)
	}
}
