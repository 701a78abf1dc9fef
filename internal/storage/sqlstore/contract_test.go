package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestPublishContract(t *testing.T) { storetest.TestPublish(t, openForSuite) }
func TestAccountContract(t *testing.T) { storetest.TestAccount(t, openForSuite) }
func TestGalleryContract(t *testing.T) { storetest.TestGallery(t, openForSuite) }
func TestTrialContract(t *testing.T)   { storetest.TestTrial(t, openForSuite) }
func TestBoardsContract(t *testing.T)  { storetest.TestBoards(t, openForSuite) }
func TestOperateContract(t *testing.T) { storetest.TestOperate(t, openForSuite) }
func TestDeskContract(t *testing.T)    { storetest.TestDesk(t, openForSuite) }
func TestPlayersContract(t *testing.T) { storetest.TestPlayers(t, openForSuite) }

func openForSuite(t *testing.T) storetest.Records {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	ahead := &atomic.Int64{}
	guardedDatabase.Lay(t, path)
	db := mustOpenAt(t, path, clockAhead(ahead))
	return storesOf(db, path, ahead)
}

// clockAhead is the machine's clock, ahead by that many nanoseconds.
func clockAhead(ahead *atomic.Int64) func() time.Time {
	return func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
}

func storesOf(db *DB, path string, ahead *atomic.Int64) storetest.Records {
	return storetest.Records{
		Publish: db.Publish(), Management: db.Publish(), Credentials: db.Credentials(), Tickets: db.Tickets(), Trials: db.Trials(),
		Covers: db.Covers(), Variants: db.Variants(),
		Accounts: accountRecords(db), Mail: db.Mail(), Gallery: db.Gallery(), People: db.People(), Upkeep: db.Upkeep(),
		Operation: storetest.Operation{
			Operate: db.Operate(), Invitations: db.Operate().Invitations(), Runs: db.Operate().Runs(), Totals: db.Operate().Totals(),
			Runtime:   storetest.Runtime{Players: db.Players(), Boards: db.Boards(), Faults: db.Faults()},
			FrontLine: storetest.FrontLine{Desk: db.Operate().Desk()},
		},
		Identities: db.Identities(), Logged: storetest.Logged{Connects: db.Account(), Grants: db.Account()},
		Beside: storetest.Beside{
			Copy: func(t *testing.T) storetest.Records {
				copied := copyDatabase(t, path)
				return storesOf(mustOpenAt(t, copied, clockAhead(ahead)), copied, ahead)
			},
			Rows: func(t *testing.T, table string) int {
				n, err := one(t.Context(), db, scanValue[int], "SELECT count(*) FROM "+table)
				expect.OK(t, err)
				return n
			},
			Later: func(d time.Duration) { ahead.Add(int64(d)) },
			Revoke: func(t *testing.T, hash sandlot.Digest) {
				mustExec(t, db, "UPDATE keys SET revoked_at = 1 WHERE hash = ?", hash[:])
			},
			Unlist: func(t *testing.T, id sandlot.ProjectID, yes bool) {
				expect.OK(t, db.step(t.Context(), nil, func(x *tx) error {
					x.changed = changed(id)
					return x.do("UPDATE projects SET changed = changed + 1, unlisted = ? WHERE id = ?", yes, string(id))
				}))
			},
			Crowd: func(t *testing.T, id sandlot.ProjectID, players, bytes int64) {
				mustExec(t, db, `INSERT INTO player_totals (project, players, held) SELECT num, ?, ? FROM projects WHERE id = ?
					ON CONFLICT (project) DO UPDATE SET players = excluded.players, held = excluded.held`, players, bytes, string(id))
			},
		},
	}
}

func accountRecords(db *DB) storetest.AccountRecords {
	a := db.Account()
	return storetest.AccountRecords{LoginStore: a, SessionStore: a, OwnerStore: a, RecoveryStore: a, ClaimStore: a, StopStore: a, AddSession: a.AddSession}
}

// template is a database that fill has filled.
func template(fill func(*DB) error) *testenv.Template {
	return &testenv.Template{Make: func(path string) error {
		db, err := OpenSQLite(context.Background(), path, Options{})
		if err != nil {
			return err
		}
		return errors.Join(fill(db), db.Close())
	}}
}

var (
	// emptyDatabase is a database with its tables.
	emptyDatabase = template(func(*DB) error { return nil })
	// guardedDatabase is one that is guarded besides.
	guardedDatabase = template(guardChanges)
)

// mustOpen opens a database that is closed when the test ends.
func mustOpen(t testing.TB, path string) *DB {
	t.Helper()
	return mustOpenAt(t, path, nil)
}

// mustOpenAt opens a database whose clock is now.
func mustOpenAt(t testing.TB, path string, now func() time.Time) *DB {
	t.Helper()
	emptyDatabase.Lay(t, path)
	db, err := OpenSQLite(context.Background(), path, Options{Now: now, CacheBytes: testenv.DatabaseCache})
	expect.OK(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func mustExec(t testing.TB, db *DB, query string, args ...any) {
	t.Helper()
	expect.OK(t, execute(db, query, args...))
}

func execute(db *DB, query string, args ...any) error {
	return db.step(context.Background(), nil, func(tx *tx) error {
		return tx.do(query, args...)
	})
}

// copyDatabase copies the files of a database that is in use: what a crash leaves.
func copyDatabase(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(testenv.MemoryDir(t), "copy.db")
	expect.Is(t, "copy the database", testenv.CopyDatabase(path, to), nil)
	return to
}
