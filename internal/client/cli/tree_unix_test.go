//go:build unix

package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestRulesThatAreNoSmallFileAreRefusedAndNotWaitedFor(t *testing.T) {
	for name, set := range map[string]func() error{
		"a pipe": func() error { return syscall.Mkfifo(rulesFile, 0o600) },
		"large":  func() error { return os.WriteFile(rulesFile, make([]byte, stateMax+1), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			expect.OK(t, os.WriteFile(".secret", nil, 0o600))
			expect.OK(t, set())
			if _, err := readTree("."); err == nil || !strings.Contains(err.Error(), rulesFile) {
				t.Error(err)
			}
		})
	}
}
