package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// rehearses runs the command, and returns what it prints and its exit code.
func rehearses(t *testing.T, args ...string) (out string, exit int) {
	t.Helper()
	cmd := exec.Command(testenv.Binary(t), append([]string{"rehearse"}, args...)...)
	said, _ := cmd.CombinedOutput()
	return string(said), cmd.ProcessState.ExitCode()
}

// lastRehearsal returns the last rehearsal in a data folder.
func lastRehearsal(t *testing.T, data string) (last operate.Run) {
	t.Helper()
	db, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(data, databaseName), sqlstore.Options{Existing: true})
	expect.OK(t, err)
	defer db.Close()
	runs, err := db.Operate().Runs().All(t.Context())
	expect.OK(t, err)
	for _, r := range runs {
		if r.Kind == operate.RunRehearse {
			last = r
		}
	}
	return last
}

// filesOf returns the names, sizes and times of all files in a folder.
func filesOf(t *testing.T, dir string) (list string) {
	t.Helper()
	expect.OK(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			list += fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	}))
	return list
}

func TestABackupIsRehearsed(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	id := withBig(t, s, key)
	for _, name := range []string{"a b/ü#.txt", "index.html"} {
		status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": name, "content": []byte("<p>" + name)})
		expect.Equal(t, fmt.Sprint(answer), status, http.StatusOK)
	}
	_, taken := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>taken down")})
	out, err := exec.Command(testenv.Binary(t), "admin", "suspend", taken["project_id"].(string), "--reason", "r", "--data", s.Data()).CombinedOutput()
	expect.OK(t, err, string(out))
	parent := t.TempDir()
	dir := filepath.Join(parent, "backup")
	backedUp, err := backupTo(t, s.Data(), dir)
	expect.OK(t, err, backedUp)
	before := filesOf(t, dir)

	t.Run("it is started and read, stays as it is, and counts", func(t *testing.T) {
		out, exit := rehearses(t, dir, "--data", s.Data())
		expect.Equal(t, "exit code\n"+out, exit, 0)
		expect.Contains(t, "the report", out, dir+": started, and read 1 of 1 project, 3 files, ")
		expect.Contains(t, "the report", out, ": 0 damaged\n")
		expect.Equal(t, "the files of the backup", filesOf(t, dir), before)
		entries, err := os.ReadDir(parent)
		expect.OK(t, err)
		expect.Equal(t, "folders beside it", len(entries), 1)
		last := lastRehearsal(t, s.Data())
		expect.Equal(t, "recorded as good", last.GoodAt.IsZero(), false)
	})
	t.Run("one of another installation is rehearsed, and does not count", func(t *testing.T) {
		other := testenv.Start(t, testenv.Binary(t))
		out, exit := rehearses(t, dir, "--data", other.Data())
		expect.Equal(t, "exit code\n"+out, exit, 0)
		expect.Contains(t, "the report", out, "The backup is of another installation than "+other.Data()+", so its metrics do not show this run.")
		expect.Equal(t, "recorded", lastRehearsal(t, other.Data()), operate.Run{})
	})
	t.Run("where there is no service it does not count", func(t *testing.T) {
		out, exit := rehearses(t, dir, "--data", t.TempDir(), "--temporary", t.TempDir())
		expect.Equal(t, "exit code\n"+out, exit, 0)
		expect.Contains(t, "the report", out, "The data of the service are not here, so its metrics do not show this run.")
	})
	t.Run("one damaged blob is named", func(t *testing.T) {
		good := lastRehearsal(t, s.Data()).GoodAt
		bad := filepath.Join(t.TempDir(), "backup")
		out, err := exec.Command("cp", "-a", dir, bad).CombinedOutput()
		expect.OK(t, err, string(out))
		expect.OK(t, os.Truncate(blobOf(t, bad, bigFile("before")), 100_000))
		said, exit := rehearses(t, bad, "--data", s.Data())
		expect.Equal(t, "exit code", exit, 1)
		expect.Contains(t, "the report", said, "damaged project="+id+` file="big.bin"`)
		expect.Contains(t, "the report", said, "a visitor gets status 500")
		expect.Contains(t, "the report", said, "1 item is damaged or missing in the backup "+bad+": sandlot verify --data "+bad+" lists all")
		last := lastRehearsal(t, s.Data())
		expect.Equal(t, "recorded as damaged", last.Damaged, 1)
		expect.Equal(t, "the last good one", last.GoodAt, good)
	})
	t.Run("what is no whole backup is refused", func(t *testing.T) {
		for name, spoil := range map[string]struct {
			do   func(dir string) error
			says string
		}{
			"a newer schema":      {newerSchema, "was written by a newer sandlot"},
			"no database":         {func(dir string) error { return os.Remove(filepath.Join(dir, databaseName)) }, "is not a backup: no sandlot.db in it"},
			"a server's folder":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, databaseName+"-wal"), nil, 0o600) }, "a server uses "},
			"a damaged database":  {func(dir string) error { return os.WriteFile(filepath.Join(dir, databaseName), []byte("x"), 0o600) }, "cannot be used"},
			"no folder of files":  {func(dir string) error { return os.RemoveAll(filepath.Join(dir, blobsName)) }, "the files of the backup"},
			"no folder of a copy": {func(string) error { return nil }, "the copy cannot be made"},
		} {
			t.Run(name, func(t *testing.T) {
				parent := t.TempDir()
				bad := filepath.Join(parent, "backup")
				out, err := exec.Command("cp", "-a", dir, bad).CombinedOutput()
				expect.OK(t, err, string(out))
				expect.OK(t, spoil.do(bad))
				args := []string{bad, "--data", s.Data()}
				if name == "no folder of a copy" {
					args = append(args, "--temporary", filepath.Join(parent, "none"))
				}
				said, exit := rehearses(t, args...)
				expect.Equal(t, "exit code", exit, 1)
				expect.Contains(t, "the error", said, spoil.says)
				entries, err := os.ReadDir(parent)
				expect.OK(t, err)
				expect.Equal(t, "folders beside it", len(entries), 1)
			})
		}
	})
}

// newerSchema adds a migration after which this release must not go on.
func newerSchema(dir string) error {
	db, err := sql.Open("sqlite", filepath.Join(dir, databaseName))
	if err != nil {
		return err
	}
	_, err = db.Exec("INSERT INTO migrations (n, name, sha256, applied_at) VALUES (1000, 'of the future', zeroblob(32), 0); UPDATE oldest_schema SET n = 1000")
	return errors.Join(err, db.Close())
}
