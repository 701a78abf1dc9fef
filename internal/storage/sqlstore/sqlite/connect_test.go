package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestConnections(t *testing.T) {
	t.Run("every one has its pragmas", func(t *testing.T) {
		db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
		err := db.Step(t.Context(), 0, func(tx engine.Tx) error {
			for _, p := range writerPragmas(cacheBytes >> 11) {
				got, err := value[string](t.Context(), tx, "PRAGMA "+p.name)
				expect.Is(t, p.name, err, nil)
				if p.want != "" {
					expect.Equal(t, p.name+" of the writer", got, p.want)
				}
			}
			return nil
		})
		expect.Is(t, "the writer's pragmas", err, nil)
		for i := range readers {
			conn, err := db.read.db.Conn(t.Context())
			expect.OK(t, err)
			defer conn.Close()
			for _, p := range readerPragmas(readerCacheKiB) {
				var got string
				expect.Is(t, p.name, conn.QueryRowContext(t.Context(), "PRAGMA "+p.name).Scan(&got), nil)
				expect.Equal(t, fmt.Sprintf("%s of reader %d", p.name, i+1), got, p.want)
			}
			if _, err := conn.ExecContext(t.Context(), "UPDATE clock SET at = 0"); err == nil {
				t.Errorf("reader %d can write", i+1)
			}
		}
	})

	t.Run("the log is synced in every commit and readers do not wait", func(t *testing.T) {
		want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"}
		for _, kind := range [][]pragma{writerPragmas(cacheBytes >> 11), readerPragmas(readerCacheKiB)} {
			found := 0
			for _, p := range kind {
				if w, ok := want[p.name]; ok && p.want == w {
					found++
				}
			}
			expect.Equal(t, "pragmas that matter", found, len(want))
		}
	})

	t.Run("one that does not take a pragma is refused", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		mustOpen(t, path)
		c, err := newConnector(path, "ro", []pragma{{name: "synchronous", set: "OFF", want: "2"}})
		expect.Is(t, "prepare", err, nil)
		pool := sql.OpenDB(c)
		defer pool.Close()
		if err := pool.PingContext(t.Context()); err == nil || !strings.Contains(err.Error(), "synchronous") {
			t.Errorf("error is %v", err)
		}
	})

	t.Run("one to a file that is gone does not create it", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "none.db")
		for _, mode := range []string{"ro", "rw"} {
			c, err := newConnector(path, mode, nil)
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

	t.Run("an older SQLite is refused", func(t *testing.T) {
		for v, want := range map[string]bool{"3.51.2": true, "3.51.3": false, "3.51": true, "3.9.9": true, "3.52.0": false, "4.0.0": false, "2.99.99": true, "3.51.10": false} {
			expect.Equal(t, v, older(v, minVersion), want)
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
