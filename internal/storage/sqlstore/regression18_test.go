package sqlstore

import (
	"fmt"
	"path/filepath"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegression18NoAccountStarvesAnotherOfVariants(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	ctx := t.Context()
	flood := mustProject(t, db, 1)
	for i := range 100 {
		name := fmt.Sprintf("%d.js", i)
		_, _, err := db.Publish().PutFile(ctx, flood.ID, sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Size: 1, Inline: []byte("x")}}, publish.Edit{Expect: flood.Version + i})
		expect.Is(t, "put "+name, err, nil)
	}
	mustProject(t, db, 2) // another account's only file comes last
	waiting, err := db.Variants().Unsqueezed(ctx, nil, 200)
	expect.Is(t, "read", err, nil)
	if len(waiting) != 102 {
		t.Fatalf("%d files wait", len(waiting))
	}
	next, err := db.Variants().Unsqueezed(ctx, nil, 2)
	expect.Is(t, "read two", err, nil)
	newest := int64(0)
	for _, f := range waiting {
		newest = max(newest, f.Blob.ID)
	}
	if next[1].Blob.ID != newest {
		t.Errorf("the other account's file is not the second: %v", next)
	}
	n, err := db.Variants().LeavePlain(ctx, 10)
	expect.Is(t, "limit", err, nil)
	expect.Equal(t, "files of the flood were given up", n, 91)
}
