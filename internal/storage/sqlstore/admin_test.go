package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestTheAuditLogHasNoWayBack(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	e := sandlot.LogEntry{At: time.Now(), Actor: sandlot.ActorOperator, Action: sandlot.ActionSuspend, Target: string(p.ID), Reason: "spam"}
	expect.Is(t, "suspend", db.Operate().Suspend(t.Context(), sandlot.Subject{Project: p.ID}, e), nil)
	for _, query := range []string{
		"UPDATE acts SET reason = 'none'",
		"DELETE FROM acts",
		"INSERT OR REPLACE INTO acts (id, at, actor, action, target, reason) VALUES (1, 0, '', '', '', '')",
		"INSERT INTO acts (id, at, actor, action, target, reason) VALUES (1, 0, '', '', '', '') ON CONFLICT (id) DO UPDATE SET reason = 'none'",
	} {
		err := db.step(t.Context(), nil, func(tx *tx) error {
			return tx.do(query)
		})
		if err == nil || !strings.Contains(err.Error(), "the audit log is never changed") {
			t.Errorf("%s: %v", query, err)
		}
	}
	log, err := db.Operate().Log(t.Context(), operate.LogQuery{Limit: 9})
	expect.Is(t, "read log", err, nil)
	if len(log) != 1 || log[0].Reason != "spam" {
		t.Errorf("the log is %v", log)
	}
}

func TestAnOldHandleStillLeadsToItsAccount(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	mustExec(t, db, "UPDATE accounts SET verified = 1")
	expect.Is(t, "rename", db.Account().Rename(t.Context(), p.Account, "renamed", time.Now(), time.Time{}, 9), nil)
	for _, handle := range []string{"renamed", p.Handle} {
		a, err := db.Gallery().AccountOfHandle(t.Context(), handle)
		expect.Is(t, "account of "+handle, err, nil)
		expect.Equal(t, "its handle now", a.Handle, "renamed")
	}
}
