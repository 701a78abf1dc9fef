package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const (
	treeFiles = 10_000
	treeBytes = 2 << 10 // of each file
)

// BenchmarkCreateTree records a project of 10,000 files of 2 KiB, which wait in a temporary
// file as those of a publish do. Beside it, what copying the same files costs: cp -r, and sync.
func BenchmarkCreateTree(b *testing.B) {
	b.Run("cp and sync", benchCopy)
	b.Run("sqlite", func(b *testing.B) {
		db, err := OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "bench.db"), Options{})
		benchTree(b, db, err)
	})
	b.Run("postgres", func(b *testing.B) {
		db, err := OpenPostgres(b.Context(), testenv.Postgres(b), postgres.Options{Connections: 4})
		benchTree(b, db, err)
	})
}

func benchTree(b *testing.B, db *DB, err error) {
	expect.OK(b, err)
	defer db.Close()
	a, err := db.Publish().CreateAccount(b.Context(), benchAccount(0))
	expect.OK(b, err)
	n := uint64(0)
	for b.Loop() {
		b.StopTimer()
		n++
		np := benchProject(n, nil)
		np.Account, np.Files = a.ID, spoolTree(b, n)
		np.Primary = np.Files[0].Name
		b.StartTimer()
		_, err := db.Publish().CreateProject(context.Background(), np)
		expect.OK(b, err)
	}
}

// spoolTree are files whose bytes are in one temporary file.
func spoolTree(b *testing.B, seed uint64) (list []sandlot.File) {
	f, err := os.CreateTemp(b.TempDir(), "spool")
	expect.OK(b, err)
	b.Cleanup(func() { f.Close() })
	random := rand.NewChaCha8(benchSum("tree", seed))
	var all bytes.Buffer
	for i := range treeFiles {
		content := make([]byte, treeBytes)
		random.Read(content)
		name := fmt.Sprintf("assets/%02d/%05d.js", i%64, i)
		blob := sandlot.Blob{Size: treeBytes, SHA256: sha256.Sum256(content), Spooled: &sandlot.Spooled{File: f, Off: int64(all.Len()), Size: treeBytes}}
		list = append(list, sandlot.File{Name: name, Folded: name, Blob: blob})
		all.Write(content)
	}
	_, err = f.Write(all.Bytes())
	expect.OK(b, err)
	return list
}

func benchCopy(b *testing.B) {
	from := b.TempDir()
	for _, f := range spoolTree(b, 0) {
		path := filepath.Join(from, f.Name)
		expect.OK(b, os.MkdirAll(filepath.Dir(path), 0o700))
		content, err := f.Blob.Bytes()
		expect.OK(b, err)
		expect.OK(b, os.WriteFile(path, content, 0o600))
	}
	expect.OK(b, exec.Command("sync").Run())
	for b.Loop() {
		to := filepath.Join(b.TempDir(), fmt.Sprint(time.Now().UnixNano()))
		expect.OK(b, exec.Command("sh", "-c", "cp -r "+from+" "+to+" && sync -f "+to).Run())
	}
}
