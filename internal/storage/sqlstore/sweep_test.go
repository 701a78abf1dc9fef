package sqlstore

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func sweepAll(t *testing.T, db *DB, before time.Time) (all []sandlot.BlobRef) {
	t.Helper()
	for more := true; more; {
		gone, m, err := db.Upkeep().Sweep(t.Context(), time.Now(), before, 500)
		expect.Is(t, "sweep", err, nil)
		all, more = append(all, gone...), m && err == nil
	}
	return all
}

func records(t *testing.T, db *DB, what string) int64 {
	t.Helper()
	n, err := one(t.Context(), db, scanValue[int64], "SELECT count(*) FROM "+what)
	expect.Is(t, "count", err, nil)
	return n
}

// TestRegression41ASweepIsDoneInSteps has it finish what was cut short, and let go of
// the files of a project that was deleted.
func TestRegression41ASweepIsDoneInSteps(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
	p := mustProject(t, db, 1)
	manyProjects(t, db, p)
	mustExec(t, db, "UPDATE accounts SET deleted_at = ? WHERE id = ?", micros(time.Now()), p.Account)
	steps, most := 0, int64(0)
	watchSteps(t, db, func(rows int64) {
		steps++
		most = max(most, rows)
	})
	sweep := func(what string, least int, bound int64, before time.Time, more bool) {
		t.Helper()
		steps, most = 0, 0
		_, m, err := db.Upkeep().Sweep(context.Background(), time.Now(), before, 500)
		expect.Is(t, what, err, nil)
		if most > bound || steps < least || m != more {
			t.Errorf("%s: %d steps, one of which changed %d rows; more: %v", what, steps, most, m)
		}
	}
	sweep("have projects follow", followers/followStep+1, stepRows, time.Time{}, false)
	expect.Equal(t, "projects left", records(t, db, "projects WHERE deleted_at IS NULL"), 0)
	files := records(t, db, "files")
	// Each is a row, its account's total and its blob, which is let go of as well.
	sweep("let go of files", 500/50, 4*50, time.Now().Add(time.Hour), true)
	if gone := files - records(t, db, "files"); gone < 1 || gone > 500 {
		t.Errorf("%d files were let go of in one call", gone)
	}
	sweepAll(t, db, time.Now().Add(time.Hour))
	expect.Equal(t, "files left", records(t, db, "files"), 0)
}
