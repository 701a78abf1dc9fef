package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// syncedSource is PocketBase with one setting changed: its log is synced in every commit, like Sandlot's. Its files are
// still not.
const syncedSource = `package main

import (
	"log"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	_ "modernc.org/sqlite"
)

const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)" +
	"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{DBConnect: func(path string) (*dbx.DB, error) {
		return dbx.Open("sqlite", path+pragmas)
	}})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}
`

// syncedPocket returns the program, and builds it in the tools folder if it is missing.
func (b *bench) syncedPocket(ctx context.Context) (string, error) {
	path := filepath.Join(b.tools, "synced-pocketbase")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	dir, err := b.Folder("synced-pocketbase")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(syncedSource), 0o600); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"mod", "init", "synced"},
		{"mod", "edit", "-require", "github.com/pocketbase/pocketbase@" + pocketVersion},
		{"mod", "tidy"},
		{"build", "-o", path, "."},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go %v: %w\n%s", args, err, out)
		}
	}
	return path, nil
}
