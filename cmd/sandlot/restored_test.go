package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakFault12LockedDatabase: while another process holds the database, a write waits for a bounded time, and its refusal says when to come
// back; reads go on, and writes do again when the other lets go.
func TestSoakFault12LockedDatabase(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	want := page(2000)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
	db := otherProcess(t, s)
	conn, err := db.Conn(t.Context())
	expect.OK(t, err)
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	var writes sync.WaitGroup
	for range 20 {
		writes.Go(func() {
			_, err := apiOf(s, "").Signup(t.Context(), client.Fields{})
			if refused := (*client.Error)(nil); !errors.As(err, &refused) || refused.Status != 503 || refused.RetryAfter == 0 {
				t.Errorf("a write: %v", err)
			}
		})
	}
	serves(t, s, first["project_id"].(string), want)
	writes.Wait()
	if waited := time.Since(begun); waited > 30*time.Second { // 5 s in the writer, six times as much on a busy machine
		t.Errorf("the writes waited %v", waited)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	signUp(t, s)
}

// otherProcess opens the database of a running server.
func otherProcess(t *testing.T, s *testenv.Server) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.Data(), "sandlot.db")+"?_pragma=busy_timeout(5000)")
	expect.OK(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// published is a project of a test, and its bytes.
type publishedPage struct {
	id   string
	want []byte
}

// publishOne publishes a page of that size.
func publishOne(t *testing.T, s *testenv.Server, key string, size int) publishedPage {
	t.Helper()
	want := append(page(size), fmt.Sprint(time.Now().UnixNano())...)
	code, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
	if code != 201 {
		t.Fatalf("publish: %d %v", code, answer)
	}
	return publishedPage{answer["project_id"].(string), want}
}

// TestFault14LogAndIndex: what a database is left with after its files were treated badly is a consistent state.
func TestFault14LogAndIndex(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (s *testenv.Server, key string, early, late publishedPage) {
		s = testenv.Start(t, testenv.Binary(t))
		key = signUp(t, s)
		early = publishOne(t, s, key, 200_000)
		s.Restart(t) // the log is folded into the database
		late = publishOne(t, s, key, 200_000)
		s.Kill(t)
		return s, key, early, late
	}
	file := func(s *testenv.Server, suffix string) string { return filepath.Join(s.Data(), "sandlot.db"+suffix) }

	t.Run("a log that was deleted: the state before it, and its blobs are kept for a day", func(t *testing.T) {
		t.Parallel()
		s, key, early, late := begin(t)
		expect.OK(t, os.Remove(file(s, "-wal")))
		s.Restart(t)
		serves(t, s, early.id, early.want)
		if code, _ := open(t, s, "http://"+late.id+".localhost/"); code != 404 {
			t.Errorf("what was in the log: %d", code)
		}
		expect.Equal(t, "projects", count(t, s, key), 1)
		if blobOf(t, s.Data(), late.want) == "" {
			t.Error("the blob that no record names was deleted at once")
		}
		next := publishOne(t, s, key, 200_000)
		serves(t, s, next.id, next.want)
	})
	for name, index := range map[string][]byte{"of an older state": nil, "of noise": page(32 << 10)[:32<<10], "cut": make([]byte, 7)} {
		t.Run("an index "+name+" is made anew", func(t *testing.T) {
			t.Parallel()
			s, key, early, late := begin(t)
			if index == nil {
				index = make([]byte, 32<<10) // as it is before the first commit
			}
			expect.OK(t, os.WriteFile(file(s, "-shm"), index, 0o600))
			s.Restart(t)
			for _, p := range []publishedPage{early, late, publishOne(t, s, key, 1000)} {
				serves(t, s, p.id, p.want)
			}
		})
	}
}

// TestFault15RecordsAndBlobsOfDifferentAge: a backup of the one beside the other costs the files that are missing, and nothing else.
func TestFault15RecordsAndBlobsOfDifferentAge(t *testing.T) {
	t.Parallel()
	t.Run("records older than blobs", func(t *testing.T) {
		t.Parallel()
		s := testenv.Start(t, testenv.Binary(t))
		key := signUp(t, s)
		early := publishOne(t, s, key, 200_000)
		s.Stop(t)
		backup, err := os.ReadFile(filepath.Join(s.Data(), "sandlot.db"))
		expect.OK(t, err)
		s.Restart(t)
		late := publishOne(t, s, key, 200_000)
		s.Stop(t)
		expect.OK(t, os.WriteFile(filepath.Join(s.Data(), "sandlot.db"), backup, 0o600))
		s.Restart(t)
		serves(t, s, early.id, early.want)
		if blobOf(t, s.Data(), late.want) == "" {
			t.Error("the blob that no record names was deleted at once")
		}
		if code, _ := open(t, s, "http://"+late.id+".localhost/"); code != 404 {
			t.Errorf("a project that the backup does not know: %d", code)
		}
	})
	for name, damage := range map[string]func(path string) error{
		"blobs older than records": os.Remove,
		"a blob that was cut":      func(path string) error { return os.Truncate(path, 1000) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			lost, other := publishOne(t, s, key, 200_000), publishOne(t, s, key, 200_000)
			if code, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": lost.id, "filename": "a.css", "content": page(100)}); code != 200 {
				t.Fatalf("%d %v", code, answer)
			}
			s.Stop(t)
			expect.OK(t, damage(blobOf(t, s.Data(), lost.want)))
			if found, exit := verify(t, s.Data()); exit == 0 || len(found) != 1 {
				t.Errorf("verify ends with %d and %v", exit, found)
			}
			s.Restart(t)
			if code, _ := open(t, s, "http://"+lost.id+".localhost/"); code < 500 {
				t.Errorf("the file that is not whole: %d", code)
			}
			if code, _ := open(t, s, "http://"+lost.id+".localhost/a.css"); code != 200 {
				t.Errorf("another file of the project: %d", code)
			}
			serves(t, s, other.id, other.want)
			if code, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": lost.id, "filename": "index.html", "content": lost.want}); code != 200 {
				t.Errorf("the file sent again: %d %v", code, answer)
			}
			serves(t, s, lost.id, lost.want)
		})
	}
}
