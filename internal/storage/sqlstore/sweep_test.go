package sqlstore

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/postgres"
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

// mustOpenServer opens a database of the test's own on the server.
func mustOpenServer(t *testing.T) *DB {
	t.Helper()
	db, err := OpenPostgres(t.Context(), emptyServer.Postgres(t), postgres.Options{Connections: 8})
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	return db
}

// waiting returns the number of steps that wait for another's lock.
func waiting(t *testing.T, db *DB) int64 {
	t.Helper()
	n, err := one(t.Context(), db, scanValue[int64], "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
	expect.OK(t, err)
	return n
}

// TestASweepForgetsNothingThatAnotherStepRenews has a sweep wait for the step: what it forgets is decided by what
// is there then.
func TestASweepForgetsNothingThatAnotherStepRenews(t *testing.T) {
	t.Parallel()
	db := mustOpenServer(t)
	now := time.Now()
	old, soon := micros(now.Add(-8*24*time.Hour)), micros(now.Add(time.Hour))
	mustExec(t, db, "INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (1, 'kim', '', 0, 'en', 0)")
	for _, c := range []struct {
		name, have, renew string
		until             int64
	}{
		{"loads", "INSERT INTO loads (load, at) VALUES (1, ?)", "UPDATE loads SET at = ?", micros(now)},
		{"counters", "INSERT INTO counters (process, batch, at) VALUES (1, 1, ?)", "UPDATE counters SET at = ?", micros(now)},
		{"mails", "INSERT INTO mails (mailbox, at, job) VALUES ('x', ?, 1)", "UPDATE mails SET at = ?", micros(now)},
		{"idempotency", "INSERT INTO idempotency (key, request, expires_at, account, project, version, mail, answer) VALUES ('x', 'x', ?, 1, '', 0, 0, '')", "UPDATE idempotency SET expires_at = ?", soon},
		{"sessions", "INSERT INTO sessions (id, hash, account, agent, created_at, proved_at, seen_at, expires_at) VALUES (1, 'x', 1, '', 0, 0, 0, ?)", "UPDATE sessions SET expires_at = ?", soon},
		{"logins", "INSERT INTO logins (id, browser, email, back, tries, proved, asked_at, expires_at) VALUES (1, 'x', '', '', 0, 0, 0, ?)", "UPDATE logins SET expires_at = ?", soon},
		{"uploads WHERE expires_at > 0", "INSERT INTO uploads (key, owner, meta, total, generation, expires_at) VALUES ('x', 'x', 'x', 1, 1, ?)", "UPDATE uploads SET expires_at = ?", soon},
	} {
		t.Run(c.name, func(t *testing.T) {
			mustExec(t, db, c.have, old)
			swept := make(chan error, 1)
			expect.OK(t, db.step(t.Context(), nil, func(tx *tx) error {
				if err := tx.do(c.renew, c.until); err != nil {
					return err
				}
				go func() {
					_, _, err := db.Upkeep().Sweep(t.Context(), now, now.Add(-time.Hour), 500)
					swept <- err
				}()
				testenv.Eventually(t, time.Minute, "the sweep waits", func() bool { return waiting(t, db) > 0 })
				return nil
			}))
			expect.OK(t, <-swept)
			expect.Equal(t, "records", records(t, db, c.name), 1)
		})
	}
}
