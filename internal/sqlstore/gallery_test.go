package sqlstore

import (
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/gallery"
)

// TestARenamedAccountIsFoundByItsNewHandle: an old one still leads to its account.
func TestARenamedAccountIsFoundByItsNewHandle(t *testing.T) {
	db := mustOpen(t, filepath.Join(t.TempDir(), "sandlot.db"))
	p := mustProject(t, db, 1)
	mustExec(t, db, "UPDATE accounts SET verified = 1")
	expect.Is(t, "rename", second(db.Account().Rename(t.Context(), p.Account, "renamed", time.Now(), time.Time{}, 9)), nil)
	for word, want := range map[string]int{"renamed": 1, p.Handle: 0} {
		found, err := db.Gallery().Listed(t.Context(), gallery.ListedQuery{Words: []string{word}, Limit: 9})
		expect.Is(t, "listed", err, nil)
		expect.Equal(t, "projects found by "+word, len(found), want)
	}
	for _, handle := range []string{"renamed", p.Handle} {
		a, err := db.Gallery().AccountOfHandle(t.Context(), handle)
		expect.Is(t, "account of "+handle, err, nil)
		expect.Equal(t, "its handle now", a.Handle, "renamed")
	}
}
