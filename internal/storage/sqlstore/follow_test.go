package sqlstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/sqlstore/sqlite"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const (
	followers = 2000 // projects of one account
	// stepRows bounds what one step may change: a project that is deleted is
	// some ten rows.
	stepRows = 20 * followStep
)

// watchSteps calls after with the number of rows that each transaction changed, once
// it is committed.
func watchSteps(t *testing.T, db *DB, after func(rows int64)) {
	t.Helper()
	was := int64(-1)
	expect.Is(t, "watch", db.step(t.Context(), nil, func(x *tx) error {
		x.Tx.(*sqlite.Tx).OnCommit(func(commit func() error) error {
			now, err := x.number("SELECT total_changes()")
			if err != nil {
				return err
			}
			if err := commit(); err != nil {
				return err
			}
			if was >= 0 {
				after(now - was)
			}
			was = now
			return nil
		})
		return nil
	}), nil)
}

// manyProjects gives the account of a project that many more like it, and verifies it.
func manyProjects(t *testing.T, db *DB, p sandlot.Project) {
	t.Helper()
	expect.Is(t, "make projects", db.step(context.Background(), nil, func(x *tx) error {
		const numbers = "WITH RECURSIVE v (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM v WHERE n < ?1) "
		for _, q := range []string{
			"UPDATE accounts SET verified = 1 WHERE id = ?2 AND ?1 > 0",
			numbers + `INSERT INTO projects (id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, listed)
				SELECT 'follower-' || n, account, 'A pond', lang, primary_file, version, suffix, size, file_count, 1000 + n, created_at, updated_at, 1 FROM v, projects WHERE account = ?2`,
			numbers + "INSERT INTO versions (project, n, suffix, title, primary_file, created_at) SELECT p.num, 1, p.suffix, p.title, p.primary_file, 0 FROM v JOIN projects p ON p.id = 'follower-' || n WHERE account = ?2",
			numbers + `INSERT INTO files (project, since, folded, name, blob) SELECT p.num, 1, p.primary_file, p.primary_file, (SELECT max(id) FROM blobs)
				FROM v JOIN projects p ON p.id = 'follower-' || n WHERE account = ?2`,
			"UPDATE accounts SET projects = ?1 WHERE id = ?2",
			"UPDATE accounts SET seq = 100000 WHERE ?1 > 0 AND id = ?2",
		} {
			if err := x.do(q, followers, p.Account); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	}), nil)
	_, _, err := db.Upkeep().Sweep(t.Context(), time.Now(), time.Time{}, 2*followers)
	expect.Is(t, "settle", err, nil)
}

// TestRegression41ProjectsFollowTheirAccountInSteps changes an account of many
// projects: no step changes many rows, and yet all projects change at once for
// every reader.
func TestRegression41ProjectsFollowTheirAccountInSteps(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
	p := mustProject(t, db, 1)
	manyProjects(t, db, p)
	last := sandlot.ProjectID(fmt.Sprintf("follower-%d", followers))
	account, entry := sandlot.Subject{Account: p.Account}, sandlot.LogEntry{At: time.Now(), Actor: "me", Action: "act", Target: "it"}
	steps, most := 0, int64(0)
	var now func(t *testing.T) // what holds after the first step
	var sub *testing.T
	watchSteps(t, db, func(rows int64) {
		if steps++; steps == 1 && now != nil {
			now(sub)
		}
		most = max(most, rows)
	})
	listed := func(t *testing.T, want int) {
		t.Helper()
		list, err := db.Gallery().Listed(context.Background(), gallery.ListedQuery{Account: p.Account, Limit: 2 * followers})
		expect.Is(t, "list", err, nil)
		expect.Equal(t, "listed projects", len(list), want)
	}
	token := sandlot.Digest{1}
	for _, c := range []struct {
		name      string
		change    func() error
		now, then func(*testing.T)
	}{
		{"rename", func() error {
			return db.Account().Rename(context.Background(), p.Account, "toad", time.Now(), time.Time{}, 9)
		}, func(t *testing.T) {
			q, err := db.Publish().Project(context.Background(), last)
			expect.Is(t, "read", err, nil)
			expect.Equal(t, "handle", q.Handle, "toad")
		}, func(t *testing.T) {
			n, err := one(context.Background(), db, scanValue[int64], "SELECT count(*) FROM projects WHERE listed = 1 AND stamp > 0")
			expect.Is(t, "count", err, nil)
			expect.Equal(t, "projects that searches read again", n, followers)
		}},
		{"suspend", func() error { return db.Operate().Suspend(context.Background(), account, entry) }, func(t *testing.T) { listed(t, 0) }, func(t *testing.T) { listed(t, 0) }},
		{"reinstate", func() error { return db.Operate().Reinstate(context.Background(), account, entry) }, nil, func(t *testing.T) { listed(t, followers) }},
		{"verify", func() error {
			mustExec(t, db, "UPDATE accounts SET verified = 0, email = 'a@example.org' WHERE id = ?", p.Account)
			_, _, err := db.Upkeep().Sweep(context.Background(), time.Now(), time.Time{}, followStep)
			for more := true; more && err == nil; {
				_, more, err = db.Upkeep().Sweep(context.Background(), time.Now(), time.Time{}, followStep)
			}
			expect.Is(t, "unverify", err, nil)
			mustExec(t, db, "INSERT INTO verifications (token, account, email, expires_at) VALUES (?, ?, 'a@example.org', ?)", token[:], p.Account, micros(time.Now().Add(time.Hour)))
			_, err = db.Account().UseVerification(context.Background(), token, time.Now(), 0)
			return err
		}, nil, func(t *testing.T) { listed(t, followers) }},
		{"remove", func() error { return db.Operate().Remove(context.Background(), account, entry) }, func(t *testing.T) {
			ctx := context.Background()
			_, err := db.Publish().Project(ctx, last)
			expect.Is(t, "read project", err, sandlot.ErrNotFound)
			_, err = db.Publish().Files(ctx, last, 1)
			expect.Is(t, "list files", err, sandlot.ErrNotFound)
			_, err = db.Publish().Version(ctx, last, 1)
			expect.Is(t, "read version", err, sandlot.ErrNotFound)
			_, err = db.Publish().Details(ctx, last)
			expect.Is(t, "read details", err, sandlot.ErrNotFound)
			_, err = db.Operate().ProjectDetail(ctx, last)
			expect.Is(t, "read as the operator", err, sandlot.ErrNotFound)
			_, err = db.Gallery().Liked(ctx, last, sandlot.Digest{})
			expect.Is(t, "read like", err, sandlot.ErrNotFound)
			listed(t, 0)
		}, func(t *testing.T) {
			left, err := one(context.Background(), db, scanValue[int64], "SELECT count(*) FROM projects WHERE deleted_at IS NULL OR title <> ''")
			expect.Is(t, "count", err, nil)
			expect.Equal(t, "projects left", left, 0)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps, most, now, sub = 0, 0, c.now, t
			expect.Is(t, c.name, c.change(), nil)
			c.then(t)
			if most > stepRows || steps < followers/followStep {
				t.Errorf("%d steps, one of which changed %d rows", steps, most)
			}
		})
	}
}

// TestRegression41WhatIsLeftFollowsAfterARestart breaks off after the first step.
func TestRegression41WhatIsLeftFollowsAfterARestart(t *testing.T) {
	t.Parallel()
	path := testenv.MemoryDir(t) + "/sandlot.db"
	db := mustOpen(t, path)
	p := mustProject(t, db, 1)
	manyProjects(t, db, p)
	commits := 0
	expect.Is(t, "break off", db.step(t.Context(), nil, func(x *tx) error {
		x.Tx.(*sqlite.Tx).OnCommit(func(commit func() error) error {
			if commits++; commits > 3 {
				return fault(sqlite3.SQLITE_FULL)
			}
			return commit()
		})
		return nil
	}), nil)
	expect.Is(t, "remove", db.Operate().Remove(t.Context(), sandlot.Subject{Account: p.Account}, sandlot.LogEntry{At: time.Now(), Actor: "me", Action: "delete", Target: "it"}), nil)
	again := mustOpen(t, copyDatabase(t, path))
	for more := true; more; {
		var err error
		_, more, err = again.Upkeep().Sweep(t.Context(), time.Now(), time.Now().Add(time.Hour), 500) // as a day later
		expect.Is(t, "sweep", err, nil)
	}
	for _, q := range []string{"projects WHERE deleted_at IS NULL", "files", "versions", "removals", "follows"} {
		n, err := one(t.Context(), again, scanValue[int64], "SELECT count(*) FROM "+q)
		expect.Is(t, "count", err, nil)
		expect.Equal(t, q, n, 0)
	}
	list, _, _, err := again.Upkeep().AccountMistakes(t.Context(), 0, 10)
	expect.Is(t, "compare", err, nil)
	expect.Equal(t, "mistakes", len(list), 0)
}
