package sqlstore

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
	"sandlot/internal/testenv"
)

// TestRegression41TheLogStaysShortWhileLongListsAreRead writes 10 MiB beside readers
// that are never all idle.
func TestRegression41TheLogStaysShortWhileLongListsAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandlot.db")
	db := mustOpen(t, path)
	p := mustProject(t, db, 1)
	mustExec(t, db, "PRAGMA wal_autocheckpoint = 64")
	mustExec(t, db, "PRAGMA journal_size_limit = 1048576")
	const most = 4 << 20
	db.engine.LimitLog(most, 0)
	many := publish.Change{}
	for i := range 1000 {
		name := fmt.Sprintf("%d.txt", i)
		many.Put = append(many.Put, publish.File{Name: name, Folded: name, Blob: publish.Blob{Size: 1, SHA256: sha256.Sum256([]byte("x")), Inline: []byte("x")}})
	}
	p, _, err := db.Publish().Rearrange(t.Context(), p.ID, many, publish.Edit{At: time.Now(), Expect: p.Version, Suffix: "0123456789"})
	expect.OK(t, err)
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				if list, err := db.Publish().Files(t.Context(), p.ID, p.Version); err != nil || len(list) < 1000 {
					t.Errorf("%d files, %v", len(list), err)
					return
				}
			}
		})
	}
	other := mustProject(t, db, 2)
	logBytes := func() int64 {
		info, err := os.Stat(path + "-wal")
		expect.OK(t, err)
		return info.Size()
	}
	for i := range 160 {
		text := bytes.Repeat([]byte{byte(i)}, 64<<10)
		f := publish.File{Name: "a.js", Folded: "a.js", Blob: publish.Blob{Size: int64(len(text)), SHA256: sha256.Sum256(text), Inline: text}}
		if other, _, err = db.Publish().PutFile(t.Context(), other.ID, f, publish.Edit{At: time.Now(), Expect: other.Version, Suffix: "0123456789"}); err != nil {
			t.Fatal(err)
		}
	}
	// While they go on reading: it is looked at every quarter of a second.
	if !testenv.Poll(5*time.Second, func() bool { return logBytes() <= most }) {
		t.Errorf("the log has %d bytes and does not begin anew", logBytes())
	}
	done.Store(true)
	readers.Wait()
}
