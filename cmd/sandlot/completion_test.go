package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A shell that a person types into, on a terminal of its own.
const typed = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='[ready]'; autoload -U compinit; compinit -D -u; $1; echo loa''ded"
zpty -r shell said '*loaded*\[ready\]*'
zpty -w -n shell $'sandlot publish game --em\t'
zpty -r shell said '*--email *'
zpty -w -n shell $'\x15sandlot admin inv\t'
zpty -r shell said '*admin invite*'
`

func TestZshCompletesTheScriptAsItIsLoaded(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "zsh")
	var script strings.Builder
	expect.OK(t, run(t.Context(), []string{"completion", "zsh"}, nil, &script, &script))
	dir := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(dir, "_sandlot"), []byte(script.String()), 0o600))
	for name, load := range map[string]string{"sourced": "source ./_sandlot", "a function": `fpath=($PWD $fpath); compinit -D -u`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "zsh", "-f", "-c", typed, "zsh", load)
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "TERM=dumb", "HOME=" + dir}
			out, err := cmd.CombinedOutput()
			expect.OK(t, err, string(out))
		})
	}
}
