package sqlstore

import (
	"context"
	"testing"

	"sandlot/internal/publish"
)

// TestRegression41NothingIsMadeOfADraft: a draft that is refused has its bytes deleted
// at once, so nobody may have begun to read them.
func TestRegression41NothingIsMadeOfADraft(t *testing.T) {
	db := mustOpen(t, t.TempDir()+"/sandlot.db")
	p, c := manyFilesOf(t, db, 1)
	waits := func() (n int) {
		list, err := db.Unsqueezed(context.Background(), nil, 3*manyFiles)
		check(t, "list", err, nil)
		return len(list)
	}
	before, amid := waits(), 0
	equal(t, "files that wait before", before, manyFiles+1)
	watchSteps(t, db, func(int64) {
		if n := records(t, db, "drafts"); n > 0 && records(t, db, "blobs WHERE ref LIKE 'new-%'") > 0 {
			amid++
			equal(t, "files that wait meanwhile", waits(), before)
		}
	})
	_, err := db.Rearrange(t.Context(), p.ID, c, publish.Edit{Expect: 2})
	check(t, "rearrange", err, nil)
	if amid == 0 {
		t.Error("nobody looked while there was a draft")
	}
	equal(t, "files that wait then", waits(), before+manyFiles/3+1)
}
