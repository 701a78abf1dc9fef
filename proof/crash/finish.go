package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"time"
)

// collectWait is the time limit for the collector to remove the strays, after the start of an otherwise idle program.
const collectWait = 30 * time.Second

// finish settles the pending operations, compares everything with the ledger as it lies on the disk, stops the program,
// and examines the files that it leaves. It also waits for uploads leased by a killed program to become free.
func (e *epoch) finish(ctx context.Context) error {
	if err := e.lapse(ctx, longLeases...); err != nil {
		return err
	}
	p, err := e.start(ctx, e.Plain)
	if err != nil {
		return err
	}
	defer p.kill()
	c := newClient(p.addr, e.keys)
	defer c.close()
	if err := e.each(func(w *worker) error { return w.check(c, false) }); err != nil {
		return err
	}
	if err := e.each(func(w *worker) error { return w.settle(c) }); err != nil {
		return err
	}
	if err := e.fromLedger(); err != nil {
		return err
	}
	if err := e.each(func(w *worker) error { return w.check(c, true) }); err != nil {
		return err
	}
	if err := errors.Join(e.collected(), e.unlessApart(ctx, e.backup)); err != nil {
		return err
	}
	if code, err := p.stop(); err != nil || code != 0 {
		return fmt.Errorf("stopped with the exit code %d, %v", code, err)
	}
	if err := errors.Join(e.audit(ctx), e.verify(ctx, e.args...)); err != nil {
		return err
	}
	return errors.Join(e.unlessApart(ctx, e.recover), e.sweepForKeys())
}

// unlessApart calls do if the data are in a data folder.
func (e *epoch) unlessApart(ctx context.Context, do func(context.Context) error) error {
	if e.place != nil {
		return nil
	}
	return do(ctx)
}

// fromLedger replaces the workers' memory by the contents of the ledger, which must be the same.
func (e *epoch) fromLedger() error {
	w, err := rebuild(filepath.Join(e.dir, "ledger"), len(e.workers))
	if err != nil {
		return err
	}
	for i, s := range w {
		if s.Pending != nil {
			return fmt.Errorf("worker %d: %s was never answered", i, s.Pending)
		}
		if !reflect.DeepEqual(s, e.workers[i].shard) {
			return fmt.Errorf("the memory of worker %d differs from the ledger", i)
		}
		e.workers[i].shard = s
	}
	return nil
}

// collected waits until the collector has removed the planted strays.
func (e *epoch) collected() error {
	for deadline := time.Now().Add(collectWait); ; time.Sleep(20 * time.Millisecond) {
		left := 0
		for _, path := range e.strays {
			if _, err := os.Stat(path); err == nil {
				left++
			}
		}
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the collector left %d of %d blobs without a record", left, len(e.strays))
		}
	}
}

// audit counts the records, which would show a second write, and compares the blobs with them.
func (e *epoch) audit(ctx context.Context) error {
	db, err := e.records("?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	var accounts, projects, versions, imported, saves, shared int
	for _, w := range e.workers {
		ofPlayers, ofAll := w.kept()
		saves, shared = saves+ofPlayers, shared+ofAll
		accounts += len(w.shard.Accounts)
		for _, a := range w.shard.Accounts {
			projects += len(a.Projects)
			for _, p := range a.Projects {
				if versions += p.Version; p.Key == "" {
					imported++
				}
			}
		}
	}
	for _, must := range []struct {
		about, query string
		want         any
	}{
		{"accounts", "SELECT count(*) FROM accounts", accounts},
		{"projects", "SELECT count(*) FROM projects", projects},
		{"versions", "SELECT count(*) FROM versions", versions},
		{
			"projects with a gap in their versions",
			"SELECT count(*) FROM projects p WHERE (SELECT count(*) FROM versions v WHERE v.project = p.num AND v.n BETWEEN 1 " +
				"AND p.version) <> p.version", 0,
		},
		{"keys", "SELECT count(*) FROM keys", accounts + projects - imported}, // imported projects have no key of their own
		{"saves", "SELECT count(*) FROM saves", saves},
		{"shared values", "SELECT count(*) FROM shared", shared},
		{"rows that refer to nothing", "SELECT count(*) FROM pragma_foreign_key_check", 0},
		{"integrity", "SELECT * FROM pragma_integrity_check", "ok"},
	} {
		if e.place != nil && strings.Contains(must.query, "pragma") {
			continue // verify queries PostgreSQL in its own way
		}
		var got string
		if err := db.QueryRowContext(ctx, must.query).Scan(&got); err != nil {
			return fmt.Errorf("count %s: %w", must.about, err)
		}
		if want := fmt.Sprint(must.want); got != want {
			return fmt.Errorf("the database has %s: %s, and the ledger %s", must.about, got, want)
		}
	}
	return e.auditBlobs(ctx, db)
}

// verify runs the program's own check, like an operator.
func (e *epoch) verify(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, e.Plain, append([]string{"verify"}, args...)...)
	cmd.Env = append(ownEnvironment(), e.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("sandlot verify: %w\n%s", err, out)
	}
	return nil
}

// auditBlobs reads every blob that a record names.
func (e *epoch) auditBlobs(ctx context.Context, db *sql.DB) error {
	hex := "lower(hex(sha256))"
	if e.place != nil {
		hex = "encode(sha256, 'hex')"
	}
	rows, err := db.QueryContext(ctx, "SELECT ref, size, "+hex+" FROM blobs WHERE ref IS NOT NULL")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var ref string
		var want file
		if err := rows.Scan(&ref, &want.Size, &want.Sum); err != nil {
			return err
		}
		blob, err := os.Open(filepath.Join(e.blobs, ref[:2], ref))
		if err != nil {
			return err
		}
		got, err := readFile(blob)
		if err := errors.Join(err, blob.Close()); err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("the blob %s has %d bytes, not %d, or wrong ones", ref, got.Size, want.Size)
		}
	}
	if e.place != nil {
		return rows.Err()
	}
	if left, err := os.ReadDir(filepath.Join(e.data, "blobs", "tmp")); err != nil || len(left) > 0 {
		return fmt.Errorf("%d temporary files are left (%v)", len(left), err)
	}
	return rows.Err()
}
