package sqlstore

import (
	"context"
	"path/filepath"
	"testing"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression41NothingIsMadeOfADraft: a draft that is refused has its bytes deleted
// at once, so nobody may have begun to read them.
func TestRegression41NothingIsMadeOfADraft(t *testing.T) {
	t.Parallel()
	db, p, c := mustOpenFiles(t, testenv.MemoryDir(t)+"/sandlot.db")
	waits := func() (n int) {
		list, err := db.Variants().Unsqueezed(context.Background(), nil, 3*manyFiles)
		expect.Is(t, "list", err, nil)
		return len(list)
	}
	before, amid := waits(), 0
	expect.Equal(t, "files that wait before", before, manyFiles+1)
	watchSteps(t, db, func(int64) {
		if n := records(t, db, "drafts"); n > 0 && records(t, db, "blobs WHERE ref LIKE 'new-%'") > 0 {
			amid++
			expect.Equal(t, "files that wait meanwhile", waits(), before)
		}
	})
	_, _, err := db.Publish().Rearrange(t.Context(), p.ID, c, publish.Edit{Expect: 2})
	expect.Is(t, "rearrange", err, nil)
	if amid == 0 {
		t.Error("nobody looked while there was a draft")
	}
	expect.Equal(t, "files that wait then", waits(), before+manyFiles/3+1)
}

// TestRegression41ACopyHasNothingOfADraft: a draft that is refused has its bytes deleted
// at once, which a backup then lacks.
func TestRegression41ACopyHasNothingOfADraft(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	db, p, c := mustOpenFiles(t, filepath.Join(dir, "sandlot.db"))
	mustExec(t, db, "UPDATE blobs SET loose = 1") // as is one that is in use still
	path, steps := filepath.Join(dir, "copy.db"), 0
	watchSteps(t, db, func(int64) {
		if steps++; steps == len(parts(c))*3/4 {
			expect.Is(t, "copy", db.CopyTo(context.Background(), path), nil)
		}
	})
	_, _, err := db.Publish().Rearrange(t.Context(), p.ID, c, publish.Edit{Expect: 2})
	expect.Is(t, "rearrange", err, nil)
	is(t, db, p, 3, whereB)
	copied := mustOpen(t, path)
	is(t, copied, p, 2, whereA)
	expect.Equal(t, "drafts", records(t, copied, "drafts"), 0)
	expect.Equal(t, "blobs that came with it", records(t, copied, "blobs WHERE ref LIKE 'new-%'"), 0)
	expect.Equal(t, "checkpoints of them", records(t, copied, "checkpoints"), 0)
	expect.Equal(t, "blobs", records(t, copied, "blobs"), manyFiles+1)
}
