package sqlite

import (
	"context"
	"embed"
	"errors"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/storage/sqlstore/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func knownMigrations() ([]engine.Migration, error) {
	return engine.LoadMigrations(migrationFiles, "migrations")
}

// Schema returns the number of the newest migration in this program.
func Schema() int {
	known, err := knownMigrations()
	if err != nil {
		panic(err) // the files are in the program, and tests read them
	}
	return len(known)
}

// unapplied returns the migrations that a database still needs. It is an error if the database was made by other
// ones.
func unapplied(ctx context.Context, q engine.Querier, path string, known []engine.Migration) ([]engine.Migration, error) {
	_, err := value[string](ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
	if errors.Is(err, sandlot.ErrNotFound) {
		return known, nil
	}
	if err != nil {
		return nil, sentence(path, err)
	}
	sums, err := values[[]byte](ctx, q, "SELECT sha256 FROM migrations ORDER BY n")
	if err != nil {
		return nil, sentence(path, err)
	}
	oldest := 0
	if len(sums) > len(known) {
		if oldest, err = oldestSchema(ctx, q, len(sums)); err != nil {
			return nil, sentence(path, err)
		}
	}
	return engine.Unapplied(path, known, sums, oldest)
}

// oldestSchema returns the oldest schema whose programs may use the database; n if it does not say.
func oldestSchema(ctx context.Context, q engine.Querier, n int) (int, error) {
	_, err := value[string](ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'oldest_schema'")
	if err == nil {
		n, err = value[int](ctx, q, "SELECT n FROM oldest_schema")
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		err = nil
	}
	return n, err
}

// migrate applies the missing migrations, each in a step of its own: it has happened wholly or not at all.
func (e *Engine) migrate(ctx context.Context, path string, known []engine.Migration) error {
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
			return in("migrate "+path+" to "+todo[0].Name, e.apply(t, todo[0]))
		})
		if err != nil || !more {
			return err
		}
	}
}

func (e *Engine) apply(t *Tx, m engine.Migration) error {
	const table = `CREATE TABLE IF NOT EXISTS migrations (n INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 BLOB NOT NULL,
		applied_at INTEGER NOT NULL) STRICT`
	if err := t.w.exec(table + ";" + engine.OldestTable); err != nil {
		return err
	}
	if _, err := t.w.conn.ExecContext(context.Background(), m.SQL); err != nil {
		return err
	}
	failpoint.Hit(failpoint.MidMigration)
	_, err := t.Exec("INSERT INTO migrations (n, name, sha256, applied_at) VALUES (?, ?, ?, ?)", m.N, m.Name, m.Sum[:], e.now().UnixMicro())
	if err == nil {
		_, err = t.Exec("INSERT INTO oldest_schema (one, n) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET n = max(n, excluded.n)", m.Oldest)
	}
	return err
}
