package sqlstore

import (
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAnOldHandleStillLeadsToItsAccount(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	mustExec(t, db, "UPDATE accounts SET verified = 1")
	expect.Is(t, "rename", second(db.Account().Rename(t.Context(), p.Account, "renamed", time.Now(), time.Time{}, 9)), nil)
	for _, handle := range []string{"renamed", p.Handle} {
		a, err := db.Gallery().AccountOfHandle(t.Context(), handle)
		expect.Is(t, "account of "+handle, err, nil)
		expect.Equal(t, "its handle now", a.Handle, "renamed")
	}
}
