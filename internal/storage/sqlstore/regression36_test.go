package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// prepare runs statements in one step.
func prepare(t *testing.T, db *DB, statements ...string) {
	t.Helper()
	expect.Is(t, "prepare", db.step(context.Background(), 0, func(x *tx) error {
		for _, s := range statements {
			if err := x.do(s); err != nil {
				return err
			}
		}
		return nil
	}), nil)
}

func TestRegression36ADamagedJobKeepsNoOther(t *testing.T) {
	t.Parallel()
	clock := time.UnixMicro(3)
	db := mustOpenAt(t, testenv.MemoryDir(t)+"/sandlot.db", func() time.Time { return clock })
	prepare(t, db, `INSERT INTO jobs (kind, address, lang, attempts, due, asker, network) VALUES
		('login', 'bad@example.org', 'en', 0, 1, '', x'00'), ('login', 'good@example.org', 'en', 0, 2, '', zeroblob(32)), ('report', 'bad@example.org', 'en', 0, 1, '', x'01')`)
	now := clock
	claims := func(at time.Time) ([]sandlot.Job, error) {
		clock = at
		return db.Mail().ClaimJobs(t.Context(), at, at.Add(time.Minute), account.Busy{}, 9)
	}
	jobs, err := claims(now)
	if len(jobs) != 1 || jobs[0].Address != "good@example.org" || !errors.Is(err, sandlot.ErrCorrupt) {
		t.Fatalf("%v, %v", jobs, err)
	}
	if jobs, err = claims(now.Add(account.JobWaitMax - time.Second)); len(jobs) != 1 || err != nil {
		t.Errorf("while the damaged ones are put off: %v, %v", jobs, err)
	}
	if jobs, err = claims(now.Add(account.JobWaitMax)); len(jobs) != 0 || !errors.Is(err, sandlot.ErrCorrupt) {
		t.Errorf("when they are due again: %v, %v", jobs, err)
	}
}

func TestRegression36ADamagedRecordKeepsOnlyItsOwnKind(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
	mustProject(t, db, 1)
	poison := errors.New("poison")
	prepare(t, db, "INSERT INTO mails (mailbox, at, job) VALUES (zeroblob(32), 1, 1)",
		"INSERT INTO blobs (ref, size, sha256, is_text, loose, created_at) VALUES ('stray', 1, zeroblob(32), 0, 1, 1)",
		"CREATE TEMP TRIGGER poison BEFORE DELETE ON mails BEGIN SELECT RAISE(ABORT, 'poison'); END")
	now := time.Now().Add(30 * 24 * time.Hour)
	gone, more, err := db.Upkeep().Sweep(t.Context(), now, now.Add(-24*time.Hour), 100)
	if err == nil || more || len(gone) != 1 || gone[0] != "stray" {
		t.Errorf("%v gone, more: %v, %v; want the stray gone and %v", gone, more, err, poison)
	}
}
