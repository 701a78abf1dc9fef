package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
	"sandlot/proof/bench/rig"
)

const (
	waitProjects = 10_000  // of one account
	waitFiles    = 10_000  // of one project
	waitVersions = 400_000 // of another
	waitMost     = 50 * time.Millisecond
)

// A change is a step whose work grows with an account or a project.
type change struct {
	what string
	do   func() error
}

// grown holds the large account and projects.
type grown struct {
	db              *sqlstore.DB
	account, other  sandlot.AccountID
	files, versions sandlot.Project // of another account
}

// waits compares the longest wait of a small write of another account during a large change with the longest of as many
// writes alone.
func waits(ctx context.Context, b *bench) ([]line, error) {
	dir, err := b.Folder("waits")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "sandlot.db")
	l, err := seedLarge(ctx, file)
	if err != nil {
		return nil, err
	}
	// Reopened, so that the first change does not coincide with a checkpoint of the seed's log.
	if l.db, err = sqlstore.OpenSQLite(ctx, file, sqlstore.Options{}); err != nil {
		return nil, err
	}
	defer l.db.Close()
	var lines []line
	for _, c := range append(l.ofAccount(ctx), l.ofProjects(ctx)...) {
		line, err := l.waitBeside(ctx, c)
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func seedLarge(ctx context.Context, file string) (l grown, err error) {
	db, err := sqlstore.OpenSQLite(ctx, file, sqlstore.Options{})
	if err != nil {
		return l, err
	}
	defer db.Close()
	other, err := db.Publish().CreateAccount(ctx,
		publish.NewAccount{
			Handles: []string{"other"}, Key: sandlot.Key{Kind: sandlot.AccountKey, Hash: sandlot.Digest{1}},
			CreatedAt: time.Now(),
		})
	if err != nil {
		return l, err
	}
	l.other = other.ID
	if l.account, err = rig.SeedAccount(ctx, db, waitProjects); err != nil {
		return l, err
	}
	create := func(id string, n byte) (sandlot.Project, error) {
		return db.Publish().CreateProject(ctx, publish.NewProject{
			ID: sandlot.ProjectID(id), Account: other.ID, Suffix: "first", CreatedAt: time.Now(), Key: sandlot.Key{Hash: sandlot.Digest{n}},
			Files:   []sandlot.File{{Name: "index.html", Folded: "index.html", Blob: sandlot.Blob{Size: 1, Inline: []byte("x")}}},
			Primary: "index.html",
		})
	}
	if l.files, err = create("many-files", 2); err != nil {
		return l, err
	}
	if l.files, err = rig.SeedFiles(ctx, db, l.files, waitFiles-1); err != nil {
		return l, err
	}
	if l.versions, err = create("many-versions", 3); err != nil {
		return l, err
	}
	return l, errors.Join(db.Close(), rig.SeedVersions(ctx, file, l.versions.ID, waitVersions))
}

// ofAccount returns the changes of an account of many projects.
func (l grown) ofAccount(ctx context.Context) []change {
	whole, entry := sandlot.Subject{Account: l.account}, sandlot.LogEntry{At: time.Now(), Actor: "bench", Action: "change", Target: "large"}
	const of = " an account of 10,000 projects"
	return []change{
		{"verifying" + of, func() error {
			_, err := l.db.Account().UseVerification(ctx, sandlot.Digest{1}, time.Now(), 0)
			return err
		}},
		{"renaming" + of, func() error {
			return l.db.Account().Rename(ctx, l.account, "renamed", time.Now(), time.Now(), 1)
		}},
		{"suspending" + of, func() error { return l.db.Operate().Suspend(ctx, whole, entry) }},
		{"reinstating" + of, func() error { return l.db.Operate().Reinstate(ctx, whole, entry) }},
		{"deleting" + of, func() error { return l.db.Operate().Remove(ctx, whole, entry) }},
	}
}

// ofProjects returns the changes of a project with many files, and of one with many versions.
func (l grown) ofProjects(ctx context.Context) []change {
	id, n := l.files.ID, l.files.Version
	return []change{
		{"moving 10,000 files", func() error { return move(ctx, l.db, l.files) }},
		{"restoring a version of 10,000 files", func() error { return restore(ctx, l.db, l.files) }},
		{"erasing a version of 10,000 files", func() error { return l.db.Publish().EraseVersion(ctx, id, n+1, time.Now()) }},
		{"erasing one of 400,000 versions", func() error {
			return l.db.Publish().EraseVersion(ctx, l.versions.ID, waitVersions/2, time.Now())
		}},
		{"deleting a project of 10,000 files", func() error {
			return l.db.Operate().Remove(ctx, sandlot.Subject{Project: id},
				sandlot.LogEntry{At: time.Now(), Actor: "bench", Action: "delete", Target: string(id)})
		}},
		{"collecting all that was deleted", func() error { return collect(ctx, l.db) }},
	}
}

// move renames all files but the primary one into another folder.
func move(ctx context.Context, db *sqlstore.DB, p sandlot.Project) error {
	list, err := db.Publish().Files(ctx, p.ID, p.Version)
	if err != nil {
		return err
	}
	var c publish.Change
	for _, f := range list {
		if f.Name != p.Primary {
			name := strings.Replace(f.Name, "levels/", "moved/", 1)
			c.Drop, c.Put = append(c.Drop, f), append(c.Put, sandlot.File{Name: name, Folded: name, Blob: f.Blob})
		}
	}
	_, err = db.Publish().Rearrange(ctx, p.ID, c, publish.Edit{At: time.Now(), Expect: p.Version, Suffix: "moved"})
	return err
}

// restore makes a version from the files before their move.
func restore(ctx context.Context, db *sqlstore.DB, p sandlot.Project) error {
	old, err := db.Publish().Files(ctx, p.ID, p.Version)
	if err != nil {
		return err
	}
	now, err := db.Publish().Files(ctx, p.ID, p.Version+1)
	if err != nil {
		return err
	}
	_, err = db.Publish().Rearrange(ctx, p.ID, publish.Change{Drop: now, Put: old, Primary: p.Primary},
		publish.Edit{At: time.Now(), Expect: p.Version + 1, Suffix: "restored"})
	return err
}

// collect purges all deleted data, as if deleted long ago.
func collect(ctx context.Context, db *sqlstore.DB) error {
	for more := true; more; {
		var err error
		if _, more, err = db.Upkeep().Sweep(ctx, time.Now(), time.Now().Add(time.Hour), 500); err != nil {
			return err
		}
	}
	return nil
}

// waitBeside measures one change.
func (l grown) waitBeside(ctx context.Context, c change) (line, error) {
	rig.Settle()
	began, done := time.Now(), make(chan error, 1)
	go func() { done <- c.do() }()
	longest, writes, err := longestWait(ctx, l.db, l.other, func(int) bool { return len(done) > 0 })
	if err != nil {
		return line{}, err
	}
	took := time.Since(began)
	if err := <-done; err != nil {
		return line{}, fmt.Errorf("%s: %w", c.what, err)
	}
	alone, _, err := longestWait(ctx, l.db, l.other, func(n int) bool { return n == writes })
	return line{
		what: fmt.Sprintf("longest of %d small writes beside %s (%d ms)", writes, c.what, took.Milliseconds()),
		ours: fmt.Sprintf("%.1f ms", ms(longest)), yard: fmt.Sprintf("%.1f ms", ms(alone)), ratio: ms(longest) / ms(alone),
		reach: "<= 50 ms", reached: longest <= waitMost,
	}, err
}

// longestWait makes small writes one after another, at least one, until enough returns true.
func longestWait(ctx context.Context, db *sqlstore.DB, id sandlot.AccountID, enough func(int) bool) (longest time.Duration, writes int,
	err error,
) {
	for writes = 0; writes == 0 || !enough(writes); writes++ {
		began := time.Now()
		if err := db.Account().SetLang(ctx, id, fmt.Sprintf("l%d", writes%10)); err != nil {
			return 0, 0, err
		}
		longest = max(longest, time.Since(began))
	}
	return longest, writes, nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// second returns the error of a step, without its Changed.
