//go:build failpoints

package failpoint

import (
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/expect"
)

func TestHit(t *testing.T) {
	t.Run("kills at the n-th time, and at that only", func(t *testing.T) {
		pl, err := newPlan("before-commit:3", "")
		expect.OK(t, err)
		var killedAt []int
		for i := range 5 {
			pl.kill = func() { killedAt = append(killedAt, i+1) }
			pl.hit(AfterCommit)
			pl.hit(BeforeCommit)
		}
		if len(killedAt) != 1 || killedAt[0] != 3 {
			t.Errorf("killed at %v", killedAt)
		}
	})
	t.Run("lists each point at its first time", func(t *testing.T) {
		list := filepath.Join(t.TempDir(), "hits")
		pl, err := newPlan("", list)
		expect.OK(t, err)
		for range 3 {
			pl.hit(TempMade)
			pl.hit(MidWrite)
		}
		if got, err := os.ReadFile(list); err != nil || string(got) != "temp-made\nmid-write\n" {
			t.Errorf("%q, %v", got, err)
		}
	})
	for _, bad := range []string{"before-commit", "before-commit:0", "before-commit:x", "nowhere:1"} {
		t.Run("refuses "+bad, func(t *testing.T) {
			if _, err := newPlan(bad, ""); err == nil {
				t.Error("accepted")
			}
		})
	}
}
