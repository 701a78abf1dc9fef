package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestConnections(t *testing.T) {
	t.Run("every one has its settings", func(t *testing.T) {
		db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
		common := map[string]int{
			"busy_timeout": busyMillis, "synchronous": 2, "foreign_keys": 1, "temp_store": 2, "trusted_schema": 0, "cell_size_check": 1,
			"secure_delete": 1,
		}
		check := func(who string, q engine.Querier, own map[string]int) {
			for _, settings := range []map[string]int{common, own} {
				for name, want := range settings {
					got, err := value[int](t.Context(), q, "PRAGMA "+name)
					expect.Is(t, name, err, nil)
					expect.Equal(t, name+" of "+who, got, want)
				}
			}
			mode, err := value[string](t.Context(), q, "PRAGMA journal_mode")
			expect.Is(t, "journal_mode", err, nil)
			expect.Equal(t, "journal_mode of "+who, mode, "wal")
		}
		expect.OK(t, db.Step(t.Context(), 0, func(tx engine.Tx) error {
			check("the writer", tx, map[string]int{
				"query_only": 0, "cache_size": -cacheBytes >> 11, "journal_size_limit": logKeepBytes, "wal_autocheckpoint": checkpointAt,
			})
			return nil
		}))
		for i := range readers {
			conn, err := db.read.db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
			expect.OK(t, err)
			defer conn.Rollback()
			check(fmt.Sprint("reader ", i+1), snapshot{conn}, map[string]int{"query_only": 1, "cache_size": -readerCacheKiB})
			if _, err := conn.ExecContext(t.Context(), "UPDATE clock SET at = 0"); err == nil {
				t.Errorf("reader %d can write", i+1)
			}
		}
	})

	t.Run("one to a file that is gone does not create it", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "none.db")
		for _, mode := range []string{"ro", "rw"} {
			c, err := newConnector(path, mode, url.Values{})
			expect.Is(t, "prepare", err, nil)
			pool := sql.OpenDB(c)
			defer pool.Close()
			if err := pool.PingContext(t.Context()); err == nil {
				t.Errorf("mode %s: it was opened", mode)
			}
			if _, err := os.Stat(path); err == nil {
				t.Errorf("mode %s: it was created", mode)
			}
		}
	})

	// https://www.sqlite.org/wal.html#walresetbug
	t.Run("are by an SQLite without the race between a checkpoint and a writer", func(t *testing.T) {
		if sqlite3.SQLITE_VERSION_NUMBER < 3051003 {
			t.Error("SQLite is ", sqlite3.SQLITE_VERSION)
		}
	})
}

// TestLibcIsTheOneSQLiteAsksFor: SQLite is translated for one exact version of
// modernc.org/libc, and is not tested with any other.
func TestLibcIsTheOneSQLiteAsksFor(t *testing.T) {
	asks, err := os.ReadFile(filepath.Join(goList(t, "{{.Dir}}", "modernc.org/sqlite"), "go.mod"))
	expect.OK(t, err)
	want := regexp.MustCompile(`(?m)^\s*modernc\.org/libc (v\S+)`).FindSubmatch(asks)
	if want == nil {
		t.Fatalf("no version of modernc.org/libc in:\n%s", asks)
	}
	expect.Equal(t, "the version of modernc.org/libc", goList(t, "{{.Version}}", "modernc.org/libc"), string(want[1]))
}

func goList(t *testing.T, format, module string) string {
	t.Helper()
	out, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", format, module).Output()
	expect.OK(t, err)
	return strings.TrimSpace(string(out))
}
