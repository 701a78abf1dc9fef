package sqlstore

import (
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/gallery"
)

// TestARenamedAccountIsFoundByItsNewHandle: an old one still leads to its account.
func TestARenamedAccountIsFoundByItsNewHandle(t *testing.T) {
	db := mustOpen(t, filepath.Join(t.TempDir(), "sandlot.db"))
	p := mustProject(t, db, 1)
	mustExec(t, db, "UPDATE accounts SET verified = 1")
	check(t, "rename", second(db.Account().Rename(t.Context(), p.Account, "renamed", time.Now(), time.Time{}, 9)), nil)
	for word, want := range map[string]int{"renamed": 1, p.Handle: 0} {
		found, err := db.Gallery().Listed(t.Context(), gallery.ListedQuery{Words: []string{word}, Limit: 9})
		check(t, "listed", err, nil)
		equal(t, "projects found by "+word, len(found), want)
	}
	for _, handle := range []string{"renamed", p.Handle} {
		a, err := db.Gallery().AccountOfHandle(t.Context(), handle)
		check(t, "account of "+handle, err, nil)
		equal(t, "its handle now", a.Handle, "renamed")
	}
}
