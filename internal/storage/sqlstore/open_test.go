package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("creates the file with mode 0600", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "a strange%20name?#.db")
		db := mustOpen(t, path)
		mustProject(t, db, 1)
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(path + suffix)
			expect.OK(t, err)
			expect.Equal(t, "mode of "+info.Name(), info.Mode().Perm(), 0o600)
		}
	})

	t.Run("in a folder that does not exist is an error", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "none", "sandlot.db")
		if _, err := OpenSQLite(t.Context(), path, Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error is %v", err)
		}
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			t.Error("the folder was made")
		}
	})

	t.Run("what was written is there when it is opened again", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db := mustOpen(t, path)
		want := mustProject(t, db, 1)
		expect.OK(t, db.Close())
		if _, err := os.Stat(path + "-wal"); err == nil {
			t.Error("the log is still there after Close")
		}
		got, err := mustOpen(t, path).Publish().Project(t.Context(), want.ID)
		expect.Is(t, "read", err, nil)
		expect.Equal(t, "the project", got, want)
	})

	t.Run("a start that was cut short before the schema is gone on with", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		expect.OK(t, os.WriteFile(path, nil, 0o600))
		mustProject(t, mustOpen(t, path), 1)
		path = filepath.Join(testenv.MemoryDir(t), "wal.db")
		foreign(t, path, "PRAGMA journal_mode = WAL")
		mustProject(t, mustOpen(t, path), 1)
	})

	t.Run("a new database has large pages", func(t *testing.T) {
		db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
		size, err := one(t.Context(), db, scanValue[int64], "PRAGMA page_size")
		expect.Is(t, "read", err, nil)
		expect.Equal(t, "page size", size, 16384)
	})
}

// fullDatabase is a database of many pages.
var fullDatabase = template(func(db *DB) error {
	for i := range uint64(40) {
		if _, err := createProject(db, i); err != nil {
			return err
		}
	}
	return nil
})

// TestOpenRefuses opens files that are not what they should be: each is one clear
// sentence, and is left as it was.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
		is    error
	}{
		"a file that is not a database": {write("hello, this is not a database; it is a text that somebody put here"), "is not a database", sandlot.ErrCorrupt},
		"a file of a few bytes":         {write("SQLite"), "is not a database", sandlot.ErrCorrupt},
		"a damaged beginning":           {flip(0, 8), "is not a database", sandlot.ErrCorrupt},
		"a damaged schema":              {flip(100, 3000), "is damaged", sandlot.ErrCorrupt},
		"a damaged page":                {flip(3*16384, 64), "is damaged", sandlot.ErrCorrupt},
		"a file that was cut":           {cut(5 * 16384), "is damaged", sandlot.ErrCorrupt},
		"an empty file beside a log":    {emptied, "is damaged", sandlot.ErrCorrupt},
		"another program's database":    {func(t *testing.T, path string) { os.Remove(path); foreign(t, path, "CREATE TABLE x (y)") }, "another program", nil},
		"a newer schema":                {newer, "was written by a newer sandlot", nil},
		"a migration with another checksum": {func(t *testing.T, path string) {
			foreign(t, path, "UPDATE migrations SET sha256 = zeroblob(32) WHERE n = 1")
		}, "was made by another 0001_baseline.sql", nil},
		"a folder": {func(t *testing.T, path string) { os.Remove(path); os.Mkdir(path, 0o700) }, "is not a file", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
			fullDatabase.Lay(t, path)
			c.spoil(t, path)
			before := fingerprint(path)
			db, err := OpenSQLite(t.Context(), path, Options{})
			if err == nil {
				db.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error does not say in one line that %s %s: %v", path, c.says, err)
			}
			if c.is != nil {
				expect.Is(t, "the error", err, c.is)
			}
			expect.Equal(t, "the file", fingerprint(path), before)
		})
	}
}

func write(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// flip inverts the bits of n bytes from off.
func flip(off, n int) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		expect.OK(t, err)
		for i := range n {
			data[off+i] ^= 0xff
		}
		write(string(data))(t, path)
	}
}

func cut(size int64) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		expect.OK(t, os.Truncate(path, size))
	}
}

func emptied(t *testing.T, path string) {
	cut(0)(t, path)
	write("a log")(t, path+"-wal")
}

func newer(t *testing.T, path string) {
	foreign(t, path, `INSERT INTO migrations (n, name, sha256, applied_at) VALUES (1000, 'of the future', zeroblob(32), 0);
		UPDATE oldest_schema SET n = 1000`)
}

// foreign does something to a database as another program would.
func foreign(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	defer db.Close()
	_, err = db.Exec(query)
	expect.OK(t, err)
}

func fingerprint(path string) string {
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%d bytes, %x, error %v", len(data), sha256.Sum256(data), err != nil)
}

// mustProject records a project of a new account.
func mustProject(t testing.TB, db *DB, n uint64) sandlot.Project {
	t.Helper()
	p, err := createProject(db, n)
	expect.OK(t, err)
	return p
}

func createProject(db *DB, n uint64) (sandlot.Project, error) {
	np, na := benchProject(n, []byte(strings.Repeat("a game ", 1000))), benchAccount(n)
	np.New = &na
	np.Files[0].Blob.SHA256 = sha256.Sum256(np.Files[0].Blob.Inline)
	return db.Publish().CreateProject(context.Background(), np)
}

func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := mustOpen(t, path)
	p := mustProject(t, db, 1)
	// The wait is 5 s; a part of it is as good a proof that it ends.
	const wait = 3 * time.Second / 2
	mustExec(t, db, fmt.Sprintf("PRAGMA busy_timeout = %d", wait.Milliseconds()))
	other, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	defer other.Close()
	conn, err := other.Conn(t.Context())
	expect.OK(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	expect.OK(t, err)
	answers := make(chan error, 20)
	begun := time.Now()
	for range cap(answers) {
		go func() {
			answers <- second(db.Gallery().AddCounts(t.Context(), map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 1}}))
		}()
	}
	expect.Is(t, "a write", <-answers, sandlot.ErrUnavailable)
	first := time.Now()
	for range cap(answers) - 1 {
		expect.Is(t, "another", <-answers, sandlot.ErrUnavailable)
	}
	if waited := first.Sub(begun); waited < wait*9/10 || waited > 20*wait {
		t.Errorf("the first write waited %v", waited)
	}
	if more := time.Since(first); more > wait*9/10 {
		t.Errorf("the writes behind it waited %v more: they had waited long enough", more)
	}
	expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrUnavailable)
	got, err := db.Publish().Project(t.Context(), p.ID)
	expect.Is(t, "a read", err, nil)
	expect.Equal(t, "plays", got.Plays, 0)
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	expect.OK(t, err)
	expect.Is(t, "a write when the other is gone", second(db.Gallery().AddCounts(t.Context(), map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 1}})), nil)
	expect.Is(t, "ping when the other is gone", db.Ping(t.Context()), nil)
}

// TestFault04ColdStart: power that is lost while the first transaction switches to the log leaves a journal, which the
// next start takes back.
func TestFault04ColdStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db, err := sql.Open("sqlite", "file:"+path)
	expect.Is(t, "open", err, nil)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, query := range []string{
		"PRAGMA page_size = 16384", "CREATE TABLE t (b BLOB)", "INSERT INTO t VALUES (randomblob(1000000))", "DROP TABLE t",
		"PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE t (b BLOB)", "INSERT INTO t VALUES (randomblob(1000000))",
	} {
		_, err := db.Exec(query)
		expect.Is(t, query, err, nil)
	}
	cut := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		expect.Is(t, "read"+suffix, err, nil)
		expect.Is(t, "write"+suffix, os.WriteFile(cut+suffix, data, 0o600), nil)
	}
	mustProject(t, mustOpen(t, cut), 1)
}
