package mail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
)

func newTestFolder(t *testing.T) (*Folder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data", "mail")
	f, err := NewFolder(dir, "sandlot@localhost", "")
	expect.OK(t, err)
	return f, dir
}

func listDir(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	expect.OK(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFolder(t *testing.T) {
	t.Parallel()
	t.Run("writes each message as a complete file of mode 0600", func(t *testing.T) {
		f, dir := newTestFolder(t)
		f.writer.now = func() time.Time {
			return time.Date(2026, 3, 1, 13, 4, 5, 6, time.FixedZone("elsewhere", 3600))
		}
		expect.OK(t, f.Send(t.Context(), verify("fr")))
		names := listDir(t, dir)
		if len(names) != 1 || !regexp.MustCompile(`^20260301T120405\.000000006Z-[A-Z2-7]{8}\.eml$`).MatchString(names[0]) {
			t.Fatalf("files %v", names)
		}
		path := filepath.Join(dir, names[0])
		raw, err := os.ReadFile(path)
		expect.OK(t, err)
		if p := parse(t, raw); !strings.Contains(p.text, link) || p.header.Get("To") != "<ann@example.com>" {
			t.Errorf("got\n%s", raw)
		}
		for path, want := range map[string]os.FileMode{path: 0o600, dir: 0o700} {
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, fi.Mode(), err)
			}
		}
	})
	t.Run("names are in the order of sending, and messages of one instant do not collide", func(t *testing.T) {
		f, dir := newTestFolder(t)
		now := time.Date(2026, 9, 30, 23, 59, 59, 999, time.UTC)
		f.writer.now = func() time.Time { return now }
		for i := range 6 {
			m := verify("en")
			m.Handle = fmt.Sprint("handle-", i/2)
			expect.OK(t, f.Send(t.Context(), m))
			now = now.Add(time.Duration(i%2) * time.Minute)
		}
		names := listDir(t, dir)
		for i, name := range names {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !strings.Contains(string(raw), fmt.Sprint("handle-", i/2)) {
				t.Errorf("%s is not of handle-%d, %v", name, i/2, err)
			}
		}
		expect.Equal(t, "files", len(names), 6)
	})
	t.Run("a message that cannot be written is refused and leaves nothing", func(t *testing.T) {
		f, dir := newTestFolder(t)
		for _, to := range badAddresses {
			m := verify("en")
			m.To = to
			expect.Is(t, to, f.Send(t.Context(), m), account.ErrRefused)
		}
		if names := listDir(t, dir); len(names) > 0 {
			t.Errorf("left: %v", names)
		}
	})
	t.Run("a fault of the disk may pass, and tells neither link nor address", func(t *testing.T) {
		f, dir := newTestFolder(t)
		expect.OK(t, os.Remove(dir))
		err := f.Send(t.Context(), verify("en"))
		if err == nil || errors.Is(err, account.ErrRefused) || strings.Contains(err.Error(), "example") {
			t.Errorf("got %v", err)
		}
		expect.OK(t, os.Mkdir(dir, 0o700))
		expect.Is(t, "later", f.Send(t.Context(), verify("en")), nil)
	})
	t.Run("a context that has ended sends nothing", func(t *testing.T) {
		f, dir := newTestFolder(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.Send(ctx, verify("en")); !errors.Is(err, context.Canceled) || len(listDir(t, dir)) > 0 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("NewFolder removes what a crash left an hour ago, and nothing else", func(t *testing.T) {
		_, dir := newTestFolder(t)
		old := time.Now().Add(-2 * time.Hour)
		for name, age := range map[string]time.Time{unfinished + "old": old, unfinished + "new": time.Now(), "old.eml": old} {
			path := filepath.Join(dir, name)
			expect.OK(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, age, age)))
		}
		_, err := NewFolder(dir, "sandlot@localhost", "")
		expect.OK(t, err)
		expect.Same(t, "left", listDir(t, dir), []string{unfinished + "new", "old.eml"})
	})
}
