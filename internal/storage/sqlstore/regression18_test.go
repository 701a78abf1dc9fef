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
	for i := range 3 * squeezeAhead {
		name := fmt.Sprintf("%d.js", i)
		_, _, err := db.Publish().PutFile(ctx, flood.ID, sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Size: 1, Inline: []byte("x")}}, publish.Edit{Expect: flood.Version + i})
		expect.Is(t, "put "+name, err, nil)
	}
	mustProject(t, db, 2) // another account's only file comes last
	next, err := db.Variants().Unsqueezed(ctx, nil, 2)
	expect.Is(t, "read two", err, nil)
	newest, err := one(ctx, db, scanValue[int64], "SELECT max(id) FROM blobs")
	expect.Is(t, "read the newest", err, nil)
	if next[1].Blob.ID != newest {
		t.Errorf("the other account's file is not the second: %v", next)
	}
}
