package mail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestRegression24MessagesToADeletedAccountAreDeleted(t *testing.T) {
	t.Parallel()
	f, dir := newTestFolder(t)
	for _, to := range []string{"ann@example.com", "ann@example.com.example", "Ann@Example.com", "bob+ann@example.com", "a.very.long.address.that.takes.a.line.of.its.own.in.a.header@a.very.long.domain.example.com"} {
		m := verify("de")
		m.To = to
		expect.OK(t, f.Send(t.Context(), m))
	}
	for name, text := range map[string]string{"note.txt": "To: ann@example.com\n\n", "broken.eml": "no message", "empty.eml": ""} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	left := func() (to string) {
		for _, name := range listDir(t, dir) {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			expect.OK(t, err)
			for line := range strings.Lines(string(raw)) {
				if strings.HasPrefix(line, "To:") && name != "note.txt" {
					to += strings.TrimSpace(line) + "; "
				}
			}
		}
		return to
	}
	expect.OK(t, Forget(t.Context(), dir, "ann@example.com"))
	if got := left(); strings.Contains(strings.ToLower(got), "<ann@example.com>") || strings.Count(got, "To:") != 3 {
		t.Errorf("messages are left to %s", got)
	}
	expect.OK(t, Forget(t.Context(), dir, "a.very.long.address.that.takes.a.line.of.its.own.in.a.header@a.very.long.domain.example.com"))
	if got := left(); strings.Count(got, "To:") != 2 {
		t.Errorf("messages are left to %s", got)
	}
	expect.Equal(t, "files are left", len(listDir(t, dir)), 5)
	expect.Is(t, "of a folder that is not there", Forget(t.Context(), filepath.Join(dir, "none"), "ann@example.com"), nil)
}
