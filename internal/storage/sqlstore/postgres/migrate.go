package postgres

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/base/failpoint"
	"sandlot/internal/storage/sqlstore/engine"
)

//go:embed migrations
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

// migrationLock is the advisory lock of a process that migrates: "SDLT".
const migrationLock = 0x53444c54

// migrationTime bounds a migration, and the wait for another process that migrates.
const migrationTime = 10 * time.Minute

// own are the tables of the engine itself, which come with the first migration.
//
// instance: one row. id distinguishes this database from others. steps: see outcome. Room is left in each page, so that
// to write a row again costs its index nothing.
const own = `
	CREATE TABLE IF NOT EXISTS migrations (n BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 BYTEA NOT NULL, applied_at BIGINT NOT NULL);
	ALTER TABLE migrations DROP COLUMN IF EXISTS expands;
	CREATE TABLE IF NOT EXISTS instance (one BIGINT PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, probed_at TIMESTAMPTZ, probe BYTEA);
	CREATE TABLE IF NOT EXISTS steps (slot TEXT COLLATE "C" PRIMARY KEY, step BIGINT NOT NULL,
	at TIMESTAMPTZ NOT NULL DEFAULT now()) WITH (fillfactor = 50);
	` + engine.OldestTable

// unapplied is engine.Unapplied of the database.
func (e *Engine) unapplied(ctx context.Context, conn *pgx.Conn, known []engine.Migration) ([]engine.Migration, error) {
	rows, err := conn.Query(ctx, "SELECT sha256 FROM migrations ORDER BY n")
	if err != nil {
		return nil, unreachable(e.name, err)
	}
	sums, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return nil, unreachable(e.name, err)
	}
	oldest := 0
	if len(sums) > len(known) {
		if err := conn.QueryRow(ctx, "SELECT n FROM oldest_schema").Scan(&oldest); err != nil {
			return nil, unreachable(e.name, err)
		}
	}
	return engine.Unapplied(e.name, known, sums, oldest)
}

// checkCurrent makes sure that the database needs no migration.
func (e *Engine) checkCurrent(ctx context.Context, s state, known []engine.Migration) error {
	if !s.ours {
		return fmt.Errorf("%s is empty; nothing was changed, start \"sandlot serve\" on it first", e.name)
	}
	todo, err := e.todo(ctx, known)
	if err == nil && len(todo) > 0 {
		err = fmt.Errorf("%s was written by an older Sandlot; nothing changed. Run this version's \"sandlot serve\" on it first", e.name)
	}
	return err
}

func (e *Engine) todo(ctx context.Context, known []engine.Migration) ([]engine.Migration, error) {
	c, err := e.acquire(ctx, false)
	if err != nil {
		return nil, unreachable(e.name, err)
	}
	defer c.Release()
	return e.unapplied(ctx, c.Conn(), known)
}

// migrate applies the missing migrations, each in a transaction of its own: it has happened wholly or not at all. One
// process does so at a time, and the others wait for it. The lock is the transaction's, so a pooler keeps none of it.
func (e *Engine) migrate(ctx context.Context, s state, known []engine.Migration) error {
	if s.ours {
		if todo, err := e.todo(ctx, known); err != nil || len(todo) == 0 {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, migrationTime)
	defer cancel()
	for {
		if more, err := e.migrateOnce(ctx, known); err != nil || !more {
			return err
		}
	}
}

// migrateOnce applies the next migration, and reports whether there was one.
func (e *Engine) migrateOnce(ctx context.Context, known []engine.Migration) (more bool, err error) {
	c, err := e.acquire(ctx, false)
	if err != nil {
		return false, unreachable(e.name, err)
	}
	defer c.Release() // if it is in a transaction still, it is ended
	conn := c.Conn()
	begin := fmt.Sprintf(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
		SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = '%s'`, migrationLock, limits[1][1])
	if _, err := simple(ctx, conn, begin); err != nil {
		return false, unreachable(e.name, err)
	}
	if _, err := simple(ctx, conn, own); err != nil {
		return false, e.mayNot("prepare", err)
	}
	// Looked up again: another process may have been faster.
	todo, err := e.unapplied(ctx, conn, known)
	if err != nil {
		return false, err
	}
	if _, err := conn.Exec(ctx, "INSERT INTO instance (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING", rand.Text()); err != nil {
		return false, e.mayNot("prepare", err)
	}
	if len(todo) > 0 {
		if err := e.apply(ctx, conn, todo[0]); err != nil {
			return false, e.mayNot("migrate to "+todo[0].Name, err)
		}
	}
	_, err = simple(ctx, conn, "COMMIT")
	return len(todo) > 1, e.mayNot("migrate", err)
}

func (e *Engine) apply(ctx context.Context, conn *pgx.Conn, m engine.Migration) error {
	if _, err := simple(ctx, conn, m.SQL); err != nil {
		return err
	}
	failpoint.Hit(failpoint.MidMigration)
	_, err := conn.Exec(ctx, "INSERT INTO migrations (n, name, sha256, applied_at) VALUES ($1, $2, $3, $4)",
		m.N, m.Name, m.Sum[:], time.Now().UnixMicro())
	if err == nil {
		_, err = conn.Exec(ctx, `INSERT INTO oldest_schema (one, n) VALUES (1, $1)
			ON CONFLICT (one) DO UPDATE SET n = greatest(oldest_schema.n, excluded.n)`, m.Oldest)
	}
	return err
}

// mayNot adds the failed action to err, or says that the user lacks the right to it. It keeps nil.
func (e *Engine) mayNot(what string, err error) error {
	if p := said(err); p != nil && p.Code == "42501" {
		return fmt.Errorf("%s: its user may not make tables (%s); make it the owner of the database", e.name, p.Message)
	}
	return in(what+" "+e.name, err)
}
