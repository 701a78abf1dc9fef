package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM08NoRecipeLosesTheKeys: the recipes for agents are run with their files missing, then as they are, then again, then with their files
// missing again, and with an answer that is an error. The keys of the first answer stay, and nothing is published twice.
func TestRegressionM08NoRecipeLosesTheKeys(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "curl", "bash")
	bin := testenv.Binary(t)
	for _, path := range []string{"/llms.txt", "/skill.md", "/docs.md"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, bin)
			_, text := asks(t, s, "GET", path, "localhost")
			lines, folder := shellBlocks(text), t.TempDir()
			recipes(t, folder, lines)
			_, err := os.Stat(filepath.Join(folder, ".sandlot.json"))
			expect.Equal(t, "nothing was published, and the keys are "+fileOf(folder), os.IsNotExist(err), true)

			filled(t, folder, lines)
			recipes(t, folder, strings.ReplaceAll(lines, "email=me@example.com", "email=nobody"))
			expect.Equal(t, "an answer that is an error is kept as "+fileOf(folder), fileOf(folder), "")

			recipes(t, folder, lines)
			keys := fileOf(folder)
			expect.Equal(t, "there are keys", strings.Contains(keys, `"api_key":"sla_`), true)
			recipes(t, folder, lines)
			expect.Equal(t, "keys after the second time", fileOf(folder), keys)
			expect.OK(t, os.RemoveAll(filepath.Join(folder, "game")))
			expect.OK(t, os.RemoveAll(filepath.Join(folder, "index.html")))
			recipes(t, folder, lines)
			expect.Equal(t, "keys after the time without files", fileOf(folder), keys)

			left, err := filepath.Glob(filepath.Join(folder, ".sandlot*.json.*"))
			expect.OK(t, err)
			expect.Equal(t, "temporary files", len(left), 0)
			list, err := exec.CommandContext(t.Context(), bin, "admin", "list", "accounts", "--data", s.Data()).Output()
			expect.OK(t, err)
			expect.Equal(t, "lines of "+string(list), strings.Count(string(list), "\n"), 2)
		})
	}
}

// fileOf is what the file of the keys in a folder holds.
func fileOf(folder string) string {
	text, _ := os.ReadFile(filepath.Join(folder, ".sandlot.json")) // "" if there is none
	return string(text)
}

// recipes runs commands in one shell, which goes on after an error as that of an agent does, and returns their output.
func recipes(t *testing.T, folder, lines string) (said string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", "-c", lines)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	t.Logf("%v\n%s", err, out)
	return string(out)
}

// filled puts every file into the folder that commands send.
func filled(t *testing.T, folder, lines string) {
	t.Helper()
	names := regexp.MustCompile(`(?:=@|split -b \w+ )([\w/.-]+)`).FindAllStringSubmatch(lines+" =@game/index.html =@game/js/main.js", -1)
	for _, found := range names {
		file := filepath.Join(folder, filepath.FromSlash(found[1]))
		expect.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
		expect.OK(t, os.WriteFile(file, []byte("<!doctype html><title>Hi</title><p>Hi"), 0o600))
	}
}
