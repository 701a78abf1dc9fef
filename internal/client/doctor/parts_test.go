package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestPartsAreJudged(t *testing.T) {
	t.Parallel()
	now := time.Now()
	at := func(d time.Duration) func() time.Time { return func() time.Time { return now.Add(d) } }
	used := func(percent int) func() (int, uint64, bool) {
		return func() (int, uint64, bool) { return percent, 5 << 20, true }
	}
	closed, open := t.TempDir(), t.TempDir()
	expect.OK(t, os.Chmod(closed, 0o700))
	expect.OK(t, os.Chmod(open, 0o755))
	for name, tc := range map[string]struct {
		check Check
		says  string
	}{
		"a clock that agrees":    {Clock(at(time.Second), at(0)), "ok clock the clock of the database is 1s from that of this machine"},
		"one that is late":       {Clock(at(0), at(5*time.Second)), "warn clock the clock of the database is -5s from"},
		"one that is wrong":      {Clock(at(time.Hour), at(0)), "mend clock the clock of the database is 1h0m0s from"},
		"a disk with room":       {Disk("d", used(20), 95), "ok disk the disk of d is 20 % full, 5 MiB are free, and nothing new is taken from 95 % on"},
		"one that fills":         {Disk("d", used(85), 95), "warn disk"},
		"one that is full":       {Disk("d", used(95), 95), "mend disk"},
		"a folder of its own":    {Folder(closed), "ok folder " + closed + " belongs to the service alone"},
		"one that others read":   {Folder(open), "mend folder " + open + " can be read by other users"},
		"one that is missing":    {Folder(filepath.Join(closed, "none")), "mend folder"},
		"a listed suffix":        {Suffix("github.io:8443"), "ok suffix github.io is on the Public Suffix List of 20"},
		"a host that is not":     {Suffix("sandlot-content.example.com"), "warn suffix sandlot-content.example.com is not on the Public Suffix List of 20"},
		"settings with mistakes": {Warnings([]string{"--listen is odd: set another"}), "warn settings --listen is odd"},
		"a server that refuses":  {Reachable("redis", func(context.Context) error { return errors.New("a\nb") }, "", "m"), "mend redis a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Run(t.Context(), []Check{tc.check})
			expect.Equal(t, "findings", len(found), 1)
			says(t, found, tc.says)
			needs := found[0].State == Mend || found[0].State == Warn
			expect.Equal(t, "says how to mend it", found[0].Mend != "", needs)
			expect.Equal(t, "has more than a line", strings.Contains(found[0].Detail+found[0].Mend, "\n"), false)
		})
	}
}

// TestAPartThatHangsHidesNoOther: Run ends within 30 seconds, with all other findings.
func TestAPartThatHangsHidesNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		deaf := Check{"deaf", func(context.Context) []Finding { <-stop; return nil }}
		began := time.Now()
		found := Run(t.Context(), []Check{deaf, Absent("redis", "none is set")})
		expect.Equal(t, "within 30 seconds", time.Since(began) < 30*time.Second, true)
		says(t, found, "mend deaf It did not answer within 20s.")
		says(t, found, "skipped redis none is set")
		close(stop)
	})
}
