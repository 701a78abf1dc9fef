package mail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRegression24MessagesToADeletedAccountAreDeleted(t *testing.T) {
	f, dir := newTestFolder(t)
	for _, to := range []string{"ann@example.com", "ann@example.com.example", "Ann@Example.com", "bob+ann@example.com", "a.very.long.address.that.takes.a.line.of.its.own.in.a.header@a.very.long.domain.example.com"} {
		m := verify("de")
		m.To = to
		if err := f.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"note.txt": "To: ann@example.com\n\n", "broken.eml": "no message", "empty.eml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (to string) {
		for _, name := range listDir(t, dir) {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(raw)) {
				if strings.HasPrefix(line, "To:") && name != "note.txt" {
					to += strings.TrimSpace(line) + "; "
				}
			}
		}
		return to
	}
	if err := Forget(t.Context(), dir, "ann@example.com"); err != nil {
		t.Fatal(err)
	}
	if got := left(); strings.Contains(strings.ToLower(got), "<ann@example.com>") || strings.Count(got, "To:") != 3 {
		t.Errorf("messages are left to %s", got)
	}
	if err := Forget(t.Context(), dir, "a.very.long.address.that.takes.a.line.of.its.own.in.a.header@a.very.long.domain.example.com"); err != nil {
		t.Fatal(err)
	}
	if got := left(); strings.Count(got, "To:") != 2 {
		t.Errorf("messages are left to %s", got)
	}
	if n := len(listDir(t, dir)); n != 5 {
		t.Errorf("%d files are left", n)
	}
	if err := Forget(t.Context(), filepath.Join(dir, "none"), "ann@example.com"); err != nil {
		t.Errorf("of a folder that is not there: %v", err)
	}
}
