package sqlstore

import (
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM06ADamagedRecordKeepsNoOtherOfItsKind has a sweep find three records of each kind, the first of which it cannot
// do away with.
func TestRegressionM06ADamagedRecordKeepsNoOtherOfItsKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ table, rows, first string }{
		{"erasures", "INSERT INTO erasures (project, n) VALUES (1, 9), (2, 9), (3, 9)", "project = 1"},
		{"follows", "INSERT INTO follows (account, after) VALUES (1, 0), (2, 0), (3, 0) ON CONFLICT DO NOTHING", "account = 3"},
		{"trash", "INSERT INTO trash (project, account, at) SELECT num, account, num FROM projects", "project = 1"},
		{"removals", "INSERT INTO removals (project, at) VALUES (1, 1), (2, 2), (3, 3)", "project = 1"},
		{"forgets", "INSERT INTO forgets (account, email, proved) VALUES (1, '', 0), (2, '', 0), (3, '', 0)", "account = 1"},
	} {
		t.Run(c.table, func(t *testing.T) {
			t.Parallel()
			db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
			for n := range uint64(3) {
				mustProject(t, db, n)
			}
			prepare(t, db, c.rows, "CREATE TEMP TRIGGER poison BEFORE DELETE ON "+c.table+" WHEN old."+c.first+" BEGIN SELECT RAISE(ABORT, 'poison'); END")
			now := time.Now().Add(30 * 24 * time.Hour)
			_, more, err := db.Upkeep().Sweep(t.Context(), now, now, 1000)
			if err == nil || more {
				t.Errorf("the damaged one is not told: %v, more: %v", err, more)
			}
			expect.Equal(t, "damaged "+c.table, records(t, db, c.table+" WHERE "+c.first), 1)
			expect.Equal(t, c.table, records(t, db, c.table), 1)
		})
	}
}
