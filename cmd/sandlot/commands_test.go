package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestEveryCommandOfADocumentWorksWhenItIsPasted: the commands in blocks of sh of each document, in their order, in one shell on a fresh server. What
// stands in angle brackets is filled in from the answers, as a reader would, and the files that are sent are there. Any failure ends it, also an
// answer that is an error. Commands that need a machine of their own stand in blocks of another name, console.
func TestEveryCommandOfADocumentWorksWhenItIsPasted(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "curl", "bash")
	bin := testenv.Binary(t)
	written, err := filepath.Glob("../../docs/*.md")
	expect.OK(t, err)
	found := 0
	for _, name := range append(written, "../../README.md", "../../examples/README.md") {
		text, err := os.ReadFile(name)
		expect.OK(t, err)
		if lines := shellBlocks(string(text)); len(lines) > 0 {
			found++
			t.Run(strings.TrimPrefix(name, "../../"), func(t *testing.T) {
				t.Parallel()
				s := testenv.Start(t, bin)
				paste(t, s, bin, strings.ReplaceAll(lines, "http://localhost:8080", baseOf(s)))
			})
		}
	}
	expect.Equal(t, "documents with commands", found >= 3, true)
	for _, path := range []string{"/llms.txt", "/skill.md", "/docs.md"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, bin)
			_, text := asks(t, s, "GET", path, "localhost")
			lines := shellBlocks(text)
			expect.Contains(t, path, lines, "curl")
			expect.Equal(t, path+" leaves something to fill in", strings.Contains(lines, "<"), false)
			if path == "/skill.md" {
				for _, other := range []string{"/llms-full.txt", "/docs/agents.md"} {
					_, text := asks(t, s, "GET", other, "localhost")
					expect.Equal(t, other+" has the same commands", shellBlocks(text) == lines, true)
				}
			}
			paste(t, s, bin, lines)
		})
	}
}

// baseOf is the base URL of a server with the default one.
func baseOf(s *testenv.Server) string {
	return strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
}

// shellBlocks are the commands of a text in Markdown.
func shellBlocks(text string) (lines string) {
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		lines += block[1]
	}
	return lines
}

// filling has curl fail for an answer that is an error, and fill in what earlier answers said.
const filling = `set -euo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
curl() {
	local args=() a f
	for a in "$@"; do
		for f in "$STATE"/*; do
			a=${a//"<${f##*/}>"/$(cat "$f")}
		done
		a=${a//sky-hopper-7k2m9p/$(cat "$STATE/project_id")}
		if [[ $a = *CURRENT* ]]; then
			a=${a//CURRENT/$(command curl -sS "$BASE/v1/project/$(cat "$STATE/project_id")" | sed -n 's/.*"version":\([0-9]*\).*/\1/p')}
		fi
		args+=("$a")
	done
	local said status=0
	said=$(mktemp "$STATE.XXXXXX")
	case " $* " in *" -f "*) fails= ;; *) fails=--fail-with-body ;; esac # curl takes one of them
	command curl -sS $fails "${args[@]}" > "$said" || status=$?
	if grep -q '"project_api_key":' "$said"; then
		for f in project_id api_key project_api_key; do learn $f; done
	fi
	for f in upload_token ticket upload_id; do learn $f; done
	if [ $status != 0 ]; then printf '%s\n' "curl ${args[*]}" >&2; cat "$said" >&2; fi
	cat "$said"
	return $status
}
learn() {
	if grep -aq "\"$1\":\"" "$said"; then sed -n 's/.*"'$1'":"\([^"]*\)".*/\1/p' "$said" > "$STATE/$1"; fi
}
`

// sent finds the files that commands send or cut.
var sent = regexp.MustCompile(`(?:=@"?|--data-binary @| -T |split -b \w+ |sandlot (?:publish|update) )([\w/.-]+)`)

// paste runs commands in a shell, in a folder with the program, the examples and the files that the commands name.
func paste(t *testing.T, s *testenv.Server, bin, lines string) {
	t.Helper()
	folder, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	expect.OK(t, os.Mkdir(state, 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(state, "project_id"), nil, 0o600))
	expect.OK(t, os.CopyFS(filepath.Join(folder, "examples"), os.DirFS("../../examples")))
	expect.OK(t, os.Symlink(bin, filepath.Join(folder, "sandlot")))
	names := []string{"game/index.html", "game/js/main.js"}
	for _, found := range sent.FindAllStringSubmatch(lines, -1) {
		names = append(names, found[1])
	}
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(t, os.WriteFile(path, fmt.Appendf(nil, "<!doctype html><title>%s</title><h1>Hi</h1>", filepath.Base(name)), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", filling+lines)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "STATE="+state, "BASE="+baseOf(s), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%.6000s", err, out[max(0, len(out)-6000):])
	}
}
