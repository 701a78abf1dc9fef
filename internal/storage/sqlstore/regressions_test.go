package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegression18NoAccountStarvesAnotherOfVariants(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	ctx := t.Context()
	flood := mustProject(t, db, 1)
	for i := range 3 * squeezeAhead {
		name := fmt.Sprintf("%d.js", i)
		_, err := db.Publish().PutFile(ctx, flood.ID, sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Size: 1, Inline: []byte("x")}}, publish.Edit{Expect: flood.Version + i})
		expect.Is(t, "put "+name, err, nil)
	}
	mustProject(t, db, 2) // another account's only file comes last
	next, err := db.Variants().Unsqueezed(ctx, nil, 2)
	expect.Is(t, "read two", err, nil)
	newest, err := one(ctx, db, scanValue[int64], "SELECT max(id) FROM blobs")
	expect.Is(t, "read the newest", err, nil)
	if next[1].Blob.ID != newest {
		t.Errorf("the other account's file is not the second: %v", next)
	}
}

// prepare runs statements in one step.
func prepare(t *testing.T, db *DB, statements ...string) {
	t.Helper()
	expect.Is(t, "prepare", db.step(context.Background(), nil, func(x *tx) error {
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

// TestRegressionM06ADamagedRecordKeepsNoOtherOfItsKind has a sweep find three records of each kind, the first of which
// it cannot do away with.
func TestRegressionM06ADamagedRecordKeepsNoOtherOfItsKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ table, rows, first string }{
		{"erasures", "INSERT INTO erasures (project, n) VALUES (1, 9), (2, 9), (3, 9)", "project = 1"},
		{"follows", "INSERT INTO follows (account, after) VALUES (1, 0), (2, 0), (3, 0) ON CONFLICT DO NOTHING", "account = 3"},
		{"trash", "INSERT INTO trash (project, account, at) SELECT num, account, num FROM projects", "project = 1"},
		{"removals", "INSERT INTO removals (project, at) VALUES (1, 1), (2, 2), (3, 3)", "project = 1"},
		{"forgets", "INSERT INTO forgets (account, email, proved) VALUES (1, '', 0), (2, '', 0), (3, '', 0)", "account = 1"},
	} {
		t.Run(c.table, func(t *testing.T) {
			t.Parallel()
			db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
			for n := range uint64(3) {
				mustProject(t, db, n)
			}
			prepare(t, db, c.rows, "CREATE TEMP TRIGGER poison BEFORE DELETE ON "+c.table+" WHEN old."+c.first+" BEGIN SELECT RAISE(ABORT, 'poison'); END")
			now := time.Now().Add(30 * 24 * time.Hour)
			_, more, err := db.Upkeep().Sweep(t.Context(), now, now, 1000)
			if err == nil || more {
				t.Errorf("the damaged one is not told: %v, more: %v", err, more)
			}
			expect.Equal(t, "damaged "+c.table, records(t, db, c.table+" WHERE "+c.first), 1)
			expect.Equal(t, c.table, records(t, db, c.table), 1)
		})
	}
}
