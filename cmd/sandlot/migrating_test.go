package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A dated is a database without the last seven migrations: they made the runs, the roles of accounts, codes and edit
// tokens, grants, players, boards, and errors of players.
type dated struct {
	*sql.DB
	newest int
	server []string // the flags of a server on it
}

func (d dated) number(t *testing.T, query string) (n int) {
	t.Helper()
	expect.OK(t, d.QueryRow(query).Scan(&n), query)
	return n
}

func openDated(t *testing.T, driver, source string, server ...string) dated {
	t.Helper()
	db, err := sql.Open(driver, source)
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	d := dated{DB: db, server: server}
	d.newest = d.number(t, "SELECT max(n) FROM migrations")
	for _, query := range []string{
		"DROP TABLE feedback", "DROP TABLE faults", "DROP TABLE blocks", "DROP TABLE scores", "DROP TABLE boards",
		"DROP TABLE player_totals", "DROP TABLE shared", "DROP TABLE saves", "DROP TABLE player_tokens", "DROP TABLE players",
		"ALTER TABLE projects DROP COLUMN runtime",
		"DROP TABLE tokens", "DROP TABLE devices", "ALTER TABLE keys DROP COLUMN client",
		"DROP TABLE connects", "DROP INDEX keys_idle", "ALTER TABLE keys DROP COLUMN edits",
		"DROP TABLE runs", "DROP TABLE invitations", "DROP TABLE identities", "DROP TABLE featured",
		"ALTER TABLE accounts DROP COLUMN role", "ALTER TABLE accounts DROP COLUMN most_projects",
		fmt.Sprint("DELETE FROM migrations WHERE n > ", d.newest-7),
	} {
		_, err := db.Exec(query)
		expect.OK(t, err, query)
	}
	return d
}

// stopMigrating starts a server, sends it SIGTERM, once or until it ends, when it migrates, and returns how it ended.
func (d dated) stopMigrating(t *testing.T, migrates func() bool, once bool) *os.ProcessState {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command(testenv.Binary(t), append([]string{"serve", "--listen=127.0.0.1:0"}, d.server...)...)
	cmd.Stdout, cmd.Stderr = &said, &said
	expect.OK(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its state is returned
		close(ended)
	}()
	testenv.Eventually(t, 20*time.Second, "the server migrates", migrates)
	expect.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	testenv.Eventually(t, 20*time.Second, "the end of a server that migrates", func() bool {
		if !once {
			_ = cmd.Process.Signal(syscall.SIGTERM) // the only error is that it has ended
		}
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	if strings.Contains(said.String(), "msg=listening") {
		t.Errorf("it did not wait:\n%s", said.String())
	}
	return cmd.ProcessState
}

// TestSoakAStartThatIsStoppedWhileItMigrates ends without an error at the first SIGTERM, and at once at the second one. Each migration has happened
// wholly or not at all; the copy of the database from before is whole, and the next start goes on.
func TestSoakAStartThatIsStoppedWhileItMigrates(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		s := testenv.Start(t, testenv.Binary(t))
		signUp(t, s)
		expect.Equal(t, "exit code", s.Stop(t), 0)
		file := filepath.Join(s.Data(), databaseName)
		d := openDated(t, "sqlite", file, "--data="+s.Data())
		d.SetMaxOpenConns(1) // which holds the lock
		copies := func() []string {
			names, err := filepath.Glob(file + ".schema-*Z")
			expect.OK(t, err)
			return names
		}
		for _, once := range []bool{true, false} {
			_, err := d.Exec("BEGIN IMMEDIATE")
			expect.OK(t, err)
			state := d.stopMigrating(t, func() bool { return len(copies()) == 1 }, once)
			expect.Equal(t, "ends without an error, or by the second signal", state.Success() || !once && state.ExitCode() == -1, true)
			_, err = d.Exec("ROLLBACK")
			expect.OK(t, err)
			expect.Equal(t, "the schema", d.number(t, "SELECT max(n) FROM migrations"), d.newest-7)
			expect.Equal(t, "its tables", d.number(t, "SELECT count(*) FROM sqlite_schema WHERE name IN ('runs', 'identities')"), 0)
			old := t.TempDir()
			expect.Equal(t, "copies", len(copies()), 1)
			expect.OK(t, testenv.CopyDatabase(copies()[0], filepath.Join(old, databaseName)))
			expect.OK(t, os.Remove(copies()[0]))
			expect.Equal(t, "exit code on the copy", testenv.Start(t, testenv.Binary(t), "--data="+old).Stop(t), 0)
		}
		s.Restart(t)
		expect.Equal(t, "the schema", d.number(t, "SELECT max(n) FROM migrations"), d.newest)
		signUp(t, s)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		flag := "--database-url=" + testenv.Postgres(t)
		s := testenv.Start(t, testenv.Binary(t), flag)
		signUp(t, s)
		expect.Equal(t, "exit code", s.Stop(t), 0)
		d := openDated(t, "pgx", strings.TrimPrefix(flag, "--database-url="), "--data="+s.Data(), flag)
		waits := func() bool {
			return d.number(t, "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'accounts'::regclass") == 1
		}
		for _, once := range []bool{true, false} {
			reader, err := d.Begin()
			expect.OK(t, err)
			_, err = reader.Exec("LOCK TABLE accounts IN ACCESS SHARE MODE") // as a backup does, or another node
			expect.OK(t, err)
			state := d.stopMigrating(t, waits, once)
			expect.Equal(t, "ends without an error, or by the second signal", state.Success() || !once && state.ExitCode() == -1, true)
			expect.OK(t, reader.Rollback())
			testenv.Eventually(t, 10*time.Second, "its transaction ends", func() bool { return !waits() })
			expect.Equal(t, "the schema, after the first of seven", d.number(t, "SELECT max(n) FROM migrations"), d.newest-6)
			expect.Equal(t, "runs", d.number(t, "SELECT count(*) FROM runs"), 0)
			if err := d.QueryRow("SELECT count(role) FROM accounts").Scan(new(int)); err == nil {
				t.Error("half of the second happened")
			}
		}
		s.Restart(t)
		expect.Equal(t, "the schema", d.number(t, "SELECT max(n) FROM migrations"), d.newest)
		signUp(t, s)
	})
}
