package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression41TheLogStaysShortWhileLongListsAreRead writes beside readers that are never all idle.
func TestRegression41TheLogStaysShortWhileLongListsAreRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := mustOpen(t, path)
	mustExec(t, db, "PRAGMA wal_autocheckpoint = 64")
	mustExec(t, db, "PRAGMA journal_size_limit = 1048576")
	const most = 4 << 20
	onSQLite(db).LimitLog(most, 0)
	var done atomic.Bool
	var readers sync.WaitGroup
	defer readers.Wait()
	defer done.Store(true)
	relay(t, db, &done, &readers)
	other := mustProject(t, db, 2)
	logBytes := func() int64 {
		info, err := os.Stat(path + "-wal")
		expect.OK(t, err)
		return info.Size()
	}
	var err error
	put := func() {
		text := bytes.Repeat([]byte("x"), 64<<10)
		f := sandlot.File{Name: "a.js", Folded: "a.js", Blob: sandlot.Blob{Size: int64(len(text)), SHA256: sha256.Sum256(text), Inline: text}}
		other, err = db.Publish().PutFile(t.Context(), other.ID, f, publish.Edit{At: time.Now(), Expect: other.Version, Suffix: "0123456789"})
		expect.OK(t, err)
	}
	for logBytes() <= most {
		put()
	}
	// While reads and writes go on: it is looked at every quarter of a second.
	if !testenv.Poll(time.Minute, func() bool { put(); return logBytes() <= most }) {
		t.Errorf("the log has %d bytes and does not begin anew", logBytes())
	}
}

// relay reads until done, and returns when it has begun: a read is always under way, for each begins well before the
// one before ends, by more than a checkpoint waits for readers. A read whose follower is kept back ends all the same.
func relay(t *testing.T, db *DB, done *atomic.Bool, readers *sync.WaitGroup) {
	const overlap = 100 * time.Millisecond
	ctx, begun := context.WithCancel(t.Context())
	readers.Go(func() {
		defer begun()
		if err := db.engine.Snapshot(t.Context(), func(s engine.Querier) error {
			rows, err := s.Query(t.Context(), "SELECT id FROM projects")
			if err != nil {
				return err
			}
			defer rows.Close()
			rows.Next()
			begun()
			testenv.Wait(t, overlap, "the read before ends meanwhile")
			if !done.Load() {
				followed := make(chan struct{})
				readers.Go(func() { relay(t, db, done, readers); close(followed) })
				select {
				case <-followed:
				case <-time.After(overlap):
				}
			}
			testenv.Wait(t, overlap, "a checkpoint gives up meanwhile")
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-ctx.Done()
}
