package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// roomy is an engine that has one step's room to give back, and where its file is.
func roomy(t *testing.T) (db *Engine, bytes func() int64) {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db = mustOpen(t, path)
	mustExec(t, db, "CREATE TABLE scratch (bytes BLOB) STRICT")
	mustExec(t, db, "INSERT INTO scratch (bytes) VALUES (zeroblob(?))", unusedKept+giveBackPages/2*pageSize)
	mustExec(t, db, "DELETE FROM scratch")
	expect.Equal(t, "the log is in the database", db.log.empty(), true)
	return db, func() int64 {
		info, err := os.Stat(path)
		expect.OK(t, err)
		return info.Size()
	}
}

func giveBack(t *testing.T, db *Engine) {
	more, err := db.GiveBack(t.Context())
	expect.Is(t, "give back", err, nil)
	expect.Equal(t, "there is more", more, false)
}

func TestTheFileGetsShorterByWhatIsGivenBackThoughNothingIsWrittenAfterwards(t *testing.T) {
	t.Run("also where a reader kept the log", func(t *testing.T) {
		db, bytes := roomy(t)
		before := bytes()
		expect.OK(t, db.Snapshot(t.Context(), func(q engine.Querier) error {
			_, err := values[int](t.Context(), q, "SELECT count(*) FROM accounts")
			giveBack(t, db)
			expect.Is(t, "another step", db.Step(t.Context(), 0, func(engine.Tx) error { return nil }), nil)
			expect.Equal(t, "the length while the reader keeps the log", bytes(), before)
			return err
		}))
		testenv.Eventually(t, time.Minute, "a shorter file", func() bool { return bytes() < before })
	})
	t.Run("also where another step was under way", func(t *testing.T) {
		db, bytes := roomy(t)
		before := bytes()
		release, done := occupied(t, db, nil), make(chan struct{})
		go func() { defer close(done); giveBack(t, db) }()
		testenv.Eventually(t, time.Minute, "the step to wait", func() bool { return db.Waiting() > 0 })
		release()
		<-done
		testenv.Eventually(t, time.Minute, "a shorter file", func() bool { return bytes() < before })
	})
}
