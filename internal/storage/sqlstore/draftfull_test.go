package sqlstore

import (
	"context"
	"errors"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/sqlite"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestADraftOnAFullDiskIsTakenBackWithTheRoomThatItsCallYields: nothing of it is left, so that its bytes may go at once.
func TestADraftOnAFullDiskIsTakenBackWithTheRoomThatItsCallYields(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(db *DB, p sandlot.Project, c publish.Change, yield func()) error{
		"of a project that is there": func(db *DB, p sandlot.Project, c publish.Change, yield func()) error {
			_, _, err := db.Publish().Rearrange(context.Background(), p.ID, c, publish.Edit{Expect: 2, Yield: yield})
			return err
		},
		"of a new one": func(db *DB, p sandlot.Project, c publish.Change, yield func()) error {
			np := publish.NewProject{ID: "x-new", Account: p.Account, Primary: c.Put[0].Name, Yield: yield}
			for _, f := range c.Put {
				if f.Blob.ID == 0 {
					np.Files = append(np.Files, f)
				}
			}
			_, err := db.Publish().CreateProject(context.Background(), np)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, p, change := mustOpenFiles(t, testenv.MemoryDir(t)+"/sandlot.db")
			commits, yielded, full := 0, 0, false
			expect.Is(t, "fill", db.step(t.Context(), 0, func(x *tx) error {
				x.Tx.(*sqlite.Tx).OnCommit(func(commit func() error) error {
					if commits++; commits == 5 {
						full = true
					}
					if full {
						return fault(sqlite3.SQLITE_FULL)
					}
					return commit()
				})
				return nil
			}), nil)
			err := make(db, p, change, func() { yielded, full = yielded+1, false })
			if !errors.Is(err, sandlot.ErrFull) || !errors.Is(err, sandlot.ErrNoEffect) {
				t.Errorf("error is %v", err)
			}
			if yielded == 0 {
				t.Error("no room was asked for")
			}
			expect.Equal(t, "drafts", records(t, db, "drafts"), 0)
			expect.Equal(t, "blobs that came with it", records(t, db, "blobs WHERE ref LIKE 'new-%'"), 0)
			is(t, db, p, 2, whereA)
		})
	}
}
