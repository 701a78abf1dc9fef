package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
)

// repository is where it is, from this folder.
const repository = "../.."

// migrationsOf are the folder of one engine's.
func migrationsOf(engine string) string { return "internal/storage/sqlstore/" + engine + "/migrations" }

// A release is the program as an earlier commit had it.
type release struct {
	commit, bin string
	// beside: it goes on while the schema of today is made.
	beside bool
	// begins: it also starts on the schema of today.
	begins bool
}

// previous builds the program of the release before: of the last commit that had fewer migrations for PostgreSQL than there are today, or
// if there is none of the commit before this one. It is nil where no such commit is at hand, as in an export, in a clone of depth 1, or without git.
func previous(t *testing.T) *release {
	t.Helper()
	commit, behind := previousCommit(t)
	if commit == "" {
		t.Log("no commit before this one is at hand, so nothing is upgraded from it")
		return nil
	}
	dir := t.TempDir()
	index := "GIT_INDEX_FILE=" + filepath.Join(dir, "index")
	for _, args := range [][]string{{"read-tree", commit}, {"checkout-index", "--all", "--prefix=" + filepath.Join(dir, "tree") + "/"}} {
		if _, err := git(index, args...); err != nil {
			t.Fatal(err)
		}
	}
	r := &release{commit: commit, bin: filepath.Join(dir, "sandlot"), beside: goesOn(t, behind)}
	r.begins = r.beside
	build := exec.Command("go", "build", "-o", r.bin, "./cmd/sandlot")
	build.Dir = filepath.Join(dir, "tree")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath") // as scripts/test builds, whose cache has most of it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build commit %s: %v\n%s", commit, err, out)
	}
	t.Logf("the release before is commit %.12s, whose schema is %d behind", commit, behind)
	return r
}

// previousCommit returns that commit, and how many migrations for PostgreSQL it lacks.
func previousCommit(t *testing.T) (commit string, behind int) {
	t.Helper()
	// Below another repository, an export without one of its own has that one's history.
	if up, err := git("", "rev-parse", "--show-cdup"); err != nil || up != "" {
		return "", 0
	}
	folder := migrationsOf("postgres")
	files, err := filepath.Glob(filepath.Join(repository, folder, "*.sql"))
	expect.OK(t, err)
	var today []string
	for _, path := range files {
		hash, err := git("", "hash-object", folder+"/"+filepath.Base(path))
		expect.OK(t, err)
		today = append(today, hash)
	}
	touched, _ := git("", "rev-list", "--first-parent", "HEAD", "--", folder) // none, without a commit
	for i, c := range append(strings.Fields(touched), "HEAD") {
		commit, err := git("", "rev-parse", "--verify", "--quiet", c+"~1^{commit}")
		if err != nil {
			continue // the history ends here
		}
		had, _ := git("", "ls-tree", "--format=%(objectname) %(path)", commit, "--", folder+"/")
		list := sqlFiles(had)
		last := i == len(strings.Fields(touched))
		if n := len(list); n > 0 && n <= len(today) && slices.Equal(list, today[:n]) && (n < len(today) || last) {
			return commit, len(today) - n
		}
	}
	return "", 0
}

// sqlFiles are the hashes of the migrations in a list of "hash path".
func sqlFiles(list string) (hashes []string) {
	for line := range strings.Lines(list) {
		if hash, path, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasSuffix(path, ".sql") {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

// goesOn reports whether the program that lacks the last migrations of today, so many, may go on after them.
func goesOn(t *testing.T, last int) bool {
	t.Helper()
	list, err := engine.LoadMigrations(os.DirFS(filepath.Join(repository, migrationsOf("postgres"))), ".")
	expect.OK(t, err)
	return !slices.ContainsFunc(list, func(m engine.Migration) bool { return m.N > len(list)-last && m.Oldest > len(list)-last })
}

// git runs git in the repository, for any owner of its files, with one more variable or none, and returns the output.
func git(variable string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", repository}, args...)...)
	cmd.Env = os.Environ()
	if variable != "" {
		cmd.Env = append(cmd.Env, variable)
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), err
}
