package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"sandlot/internal/failpoint"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// A migration brings the schema from one number to the next. One that was
// released is never edited; its checksum is kept with the database to tell.
type migration struct {
	n     int
	name  string
	sql   string
	sum   publish.Digest
	adopt bool // it brings a database of before the baseline to it
}

func knownMigrations() ([]migration, error) { return loadMigrations(migrationFiles, "migrations") }

// loadMigrations reads the files NNNN_name.sql of a folder, numbered from 1
// without gaps.
func loadMigrations(files fs.FS, folder string) ([]migration, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, err
	}
	var list []migration
	for i, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s should have the number %d", e.Name(), i+1)
		}
		text, err := fs.ReadFile(files, path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, migration{n: i + 1, name: e.Name(), sql: string(text), sum: sha256.Sum256(text)})
	}
	return list, nil
}

// unapplied returns the migrations that a database still needs. It is an error if
// the database was made by other ones.
func unapplied(ctx context.Context, q engine.Querier, path string, known []migration) ([]migration, error) {
	_, err := value[string](ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
	if errors.Is(err, publish.ErrNotFound) {
		return known, nil
	}
	if err != nil {
		return nil, sentence(path, err)
	}
	sums, err := values[[]byte](ctx, q, "SELECT sha256 FROM migrations ORDER BY n")
	if err != nil {
		return nil, sentence(path, err)
	}
	if adopted, err := adopting(path, sums, known[0]); err != nil || adopted != nil {
		return append(adopted, known[1:]...), err
	}
	if len(sums) > len(known) {
		return nil, fmt.Errorf("%s was written by a newer sandlot (its schema is %d, this one knows %d); nothing was changed, start the newer one", path, len(sums), len(known))
	}
	for i, sum := range sums {
		if !bytes.Equal(sum, known[i].sum[:]) {
			return nil, fmt.Errorf("%s was made by another %s than the one in this sandlot; nothing was changed, start the sandlot that made it", path, known[i].name)
		}
	}
	return known[len(sums):], nil
}

// migrate applies what the database still needs, each migration in a step of its
// own: it has happened wholly or not at all.
func (e *Engine) migrate(ctx context.Context, path string, known []migration) error {
	for {
		more := false
		err := e.Step(ctx, 0, func(tx engine.Tx) error {
			t := tx.(*Tx)
			// Looked up again in each step: another process may have been faster.
			todo, err := unapplied(ctx, t, path, known)
			if err != nil || len(todo) == 0 {
				return err
			}
			more = true
			return in("migrate "+path+" to "+todo[0].name, e.apply(t, todo[0]))
		})
		if err != nil || !more {
			return err
		}
	}
}

func (e *Engine) apply(t *Tx, m migration) error {
	const table = `CREATE TABLE IF NOT EXISTS migrations (n INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 BLOB NOT NULL, applied_at INTEGER NOT NULL) STRICT`
	if err := t.w.exec(table); err != nil {
		return err
	}
	if _, err := t.w.conn.ExecContext(context.Background(), m.sql); err != nil {
		return err
	}
	if m.adopt {
		if _, err := t.Exec("DELETE FROM migrations"); err != nil {
			return err
		}
	}
	failpoint.Hit(failpoint.MidMigration)
	_, err := t.Exec("INSERT INTO migrations (n, name, sha256, applied_at) VALUES (?, ?, ?, ?)", m.n, m.name, m.sum[:], e.now().UnixMicro())
	return err
}
