package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the records, which are made older while no server runs
)

// aged is the age given to all data for the collector: more than the day that it waits.
const aged = 48 * time.Hour

// strayCount is how many blobs without a record are planted each time, and as many with an unused record.
const strayCount = 8

// strayText is the content of each stray.
const strayText = "stray"

// age gives the next start much to collect: all data are two days old, unfinished uploads and idempotency records have
// expired, and there are blobs without a record. Pending operations are settled before, since a part of an expired
// upload cannot be.
func (e *epoch) age(ctx context.Context) error {
	if err := e.lapse(ctx, append(slices.Clone(longLeases), "uploads")...); err != nil {
		return err
	}
	p, err := e.start(ctx, e.Plain)
	if err != nil {
		return err
	}
	defer p.kill()
	c := newClient(p.addr, e.keys)
	defer c.close()
	if err := e.each(func(w *worker) error { return w.settle(c) }); err != nil {
		return err
	}
	if err := e.each(func(w *worker) error { return w.check(c, false) }); err != nil {
		return err
	}
	p.kill()
	e.count.killed(death{how: byMoment})
	if err := errors.Join(e.ageRecords(ctx), e.ageBlobs(), e.plant(ctx)); err != nil {
		return fmt.Errorf("make the folder older: %w", err)
	}
	for _, w := range e.workers {
		if w.shard.Upload != nil {
			if err := w.record(record{Expired: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// ageRecords changes the times in the database, which no client can change.
func (e *epoch) ageRecords(ctx context.Context) error {
	db, err := e.records("")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, fmt.Sprintf("UPDATE blobs SET created_at = created_at - %d", aged.Microseconds())); err != nil {
		return err
	}
	for _, table := range []string{"uploads", "idempotency"} {
		if _, err := db.ExecContext(ctx, "UPDATE "+table+" SET expires_at = 1 WHERE expires_at > 0"); err != nil {
			return err
		}
	}
	if err := e.lapse(ctx, longLeases...); err != nil {
		return err
	}
	// A server that has run for an hour trusts its clock; until then nothing is deleted by age.
	_, err = db.ExecContext(ctx,
		fmt.Sprintf("INSERT INTO clock (one, at) VALUES (1, %d) ON CONFLICT (one) DO UPDATE SET at = excluded.at", time.Now().UnixMicro()))
	return err
}

// longLeases lists the tables with leases of minutes: the collector's round, and the files being compressed.
var longLeases = []string{"leases", "blobs"}

// lapse ends the leases of a killed program, as if their time had passed. With a data folder the program does that
// itself.
func (e *epoch) lapse(ctx context.Context, tables ...string) error {
	if e.place == nil {
		return nil
	}
	db, err := e.records("")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, table := range tables {
		if _, err := db.ExecContext(ctx, "UPDATE "+table+" SET leased_until = 1 WHERE leased_until > 0"); err != nil {
			return fmt.Errorf("end leases: %w", err)
		}
	}
	return nil
}

// records opens the database beside the program.
func (e *epoch) records(how string) (*sql.DB, error) {
	if e.place != nil {
		return sql.Open("pgx", e.place.database())
	}
	return sql.Open("sqlite", "file:"+filepath.Join(e.data, "sandlot.db")+how)
}

func (e *epoch) ageBlobs() error {
	return filepath.WalkDir(e.blobs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		then := time.Now().Add(-aged)
		return os.Chtimes(path, then, then)
	})
}

// plant makes blobs as a crash between a blob and its record leaves them, and others as a deletion two days ago.
func (e *epoch) plant(ctx context.Context) error {
	db, err := e.records("")
	if err != nil {
		return err
	}
	defer db.Close()
	for i := range 2 * strayCount {
		ref, err := e.plantBlob()
		if err != nil {
			return err
		}
		if i < strayCount {
			continue
		}
		if _, err := db.ExecContext(ctx, e.looseRecord(ref)); err != nil {
			return err
		}
	}
	return nil
}

// looseRecord returns a statement that records the blob as unused.
func (e *epoch) looseRecord(ref string) string {
	sum := "x'" + fileOf([]byte(strayText)).Sum + "'"
	if e.place != nil {
		sum = `'\x` + sum[2:]
	}
	then := time.Now().Add(-aged).UnixMicro()
	return fmt.Sprintf("INSERT INTO blobs (ref, size, sha256, is_text, loose, created_at) VALUES ('%s', %d, %s, 0, 1, %d)", ref,
		len(strayText), sum, then)
}

// plantBlob makes one stray blob.
func (e *epoch) plantBlob() (ref string, err error) {
	folder := fmt.Sprintf("%02x", e.random.IntN(256))
	name := folder + strings.ToLower(rand.Text()[:26])
	name = strings.NewReplacer("i", "1", "l", "1", "o", "0", "u", "v").Replace(name)
	path := filepath.Join(e.blobs, folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(path, []byte(strayText), 0o600); err != nil {
		return "", err
	}
	then := time.Now().Add(-aged)
	if err := os.Chtimes(path, then, then); err != nil {
		return "", err
	}
	e.strays = append(e.strays, path)
	return name, nil
}

// migrations returns the number of the program's migrations. It reads their source once, since a soak lasts.
func migrations(ctx context.Context, full bool) (int, error) {
	of := "sqlite"
	if full {
		of = "postgres"
	}
	dir, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "sandlot/internal/storage/sqlstore/"+of).Output()
	if err != nil {
		return 0, fmt.Errorf("find the migrations: %w", err)
	}
	list, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "migrations", "*.sql"))
	return len(list), err
}
