package sqlstore

import (
	"path/filepath"
	"testing"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestACopyHasNoNetworks: neither the hashes nor the keys by which somebody could find them.
func TestACopyHasNoNetworks(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	db := mustOpen(t, filepath.Join(dir, "sandlot.db"))
	a, err := db.Publish().CreateAccount(t.Context(), benchAccount(1))
	expect.OK(t, err)
	np := benchProject(1, []byte("<p>one"))
	np.Account, np.Publisher = a.ID, publish.Publisher{Network: benchSum("network", 1), Wide: benchSum("wide", 1)}
	_, err = db.Publish().CreateProject(t.Context(), np)
	expect.OK(t, err)
	for _, name := range []string{"network 2026-05", "service"} {
		_, err = db.Publish().Secret(t.Context(), name, []byte("secret"))
		expect.OK(t, err)
	}
	networks := func(db *DB) int { return len(texts(t, db, "SELECT 'x' FROM publishers")) }
	expect.Equal(t, "networks", networks(db), 1)
	path := filepath.Join(dir, "copy.db")
	expect.OK(t, db.CopyTo(t.Context(), path))
	copied := mustOpen(t, path)
	expect.Equal(t, "networks of the copy", networks(copied), 0)
	expect.Same(t, "its secrets", texts(t, copied, "SELECT name FROM secrets ORDER BY name"), []string{"service"})
}
