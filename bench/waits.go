package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"sandlot/bench/rig"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
)

const (
	waitProjects = 10_000 // of one account
	waitMost     = 50 * time.Millisecond
)

// waits measures the longest wait of a small write of another account while the
// account of many projects is changed, against the longest one of as many writes alone.
func waits(ctx context.Context, b *bench) ([]line, error) {
	dir, err := b.Folder("waits")
	if err != nil {
		return nil, err
	}
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(dir, "sandlot.db"), sqlstore.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	large, err := rig.SeedAccount(ctx, db, waitProjects)
	if err != nil {
		return nil, err
	}
	other, err := db.CreateAccount(ctx, publish.NewAccount{Handles: []string{"other"}, Key: publish.Key{Kind: publish.AccountKey, Hash: publish.Digest{1}}, CreatedAt: time.Now()})
	if err != nil {
		return nil, err
	}
	whole, entry := publish.Subject{Account: large}, publish.LogEntry{At: time.Now(), Actor: "bench", Action: "change", Target: "large"}
	var lines []line
	for _, op := range []struct {
		what   string
		change func() error
	}{
		{"renaming", func() error { return db.Rename(ctx, large, "renamed", time.Now(), time.Now(), 1) }},
		{"suspending", func() error { return db.Suspend(ctx, whole, entry) }},
		{"restoring", func() error { return db.Restore(ctx, whole, entry) }},
		{"deleting", func() error { return db.Remove(ctx, whole, entry) }},
	} {
		began, done := time.Now(), make(chan error, 1)
		go func() { done <- op.change() }()
		longest, writes, err := longestWait(ctx, db, other.ID, func(int) bool { return len(done) > 0 })
		if err != nil {
			return lines, err
		}
		took := time.Since(began)
		if err := <-done; err != nil {
			return lines, fmt.Errorf("%s: %w", op.what, err)
		}
		alone, _, err := longestWait(ctx, db, other.ID, func(n int) bool { return n == writes })
		if err != nil {
			return lines, err
		}
		lines = append(lines, line{
			what: fmt.Sprintf("longest of %d small writes beside %s an account of 10,000 projects (%d ms)", writes, op.what, took.Milliseconds()),
			ours: fmt.Sprintf("%.1f ms", ms(longest)), yard: fmt.Sprintf("%.1f ms", ms(alone)), ratio: ms(longest) / ms(alone),
			reach: "<= 50 ms", reached: longest <= waitMost,
		})
	}
	return lines, nil
}

// longestWait writes one small thing after another, at least once, until enough of
// them were.
func longestWait(ctx context.Context, db *sqlstore.DB, id publish.AccountID, enough func(int) bool) (longest time.Duration, writes int, err error) {
	for writes = 0; writes == 0 || !enough(writes); writes++ {
		began := time.Now()
		if err := db.SetLang(ctx, id, fmt.Sprintf("l%d", writes%10)); err != nil {
			return 0, 0, err
		}
		longest = max(longest, time.Since(began))
	}
	return longest, writes, nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }
