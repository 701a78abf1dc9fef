package main

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// administers runs a command of sandlot admin, and returns what it prints and its exit code.
func administers(t *testing.T, args ...string) (out string, exit int) {
	t.Helper()
	cmd := exec.Command(testenv.Binary(t), append([]string{"admin"}, args...)...)
	said, _ := cmd.CombinedOutput()
	return string(said), cmd.ProcessState.ExitCode()
}

// A loss is a project with two versions that a backup has.
type loss struct {
	s                           *testenv.Server
	key, id, projectKey, backup string
	places                      []string // the flags that name the data
	secondOfProject             []byte
}

// newLoss publishes a project, and makes a backup. Its large file cannot be compressed: an export of one with a
// compressed form does not read the plain one.
func newLoss(t *testing.T, places ...string) loss {
	t.Helper()
	l := loss{s: testenv.Start(t, testenv.Binary(t), places...), places: places, secondOfProject: make([]byte, 120_000)}
	_, _ = rand.NewChaCha8([32]byte{}).Read(l.secondOfProject) // it never fails
	l.places = append([]string{"--data", l.s.Data()}, places...)
	_, who := call(t, l.s, "POST", "/v1/signup", "", map[string]any{"handle": "kim"})
	l.key, _ = who["api_key"].(string)
	_, p := call(t, l.s, "POST", "/v1/publish", l.key, map[string]any{"content": []byte("<p>first"), "title": "Marbles"})
	l.id, l.projectKey = p["project_id"].(string), p["project_api_key"].(string)
	l.update(t, "big.bin", l.secondOfProject)
	l.backup = filepath.Join(t.TempDir(), "backup")
	out, err := exec.Command(testenv.Binary(t), append([]string{"backup", l.backup}, l.places...)...).CombinedOutput()
	expect.OK(t, err, string(out))
	return l
}

func (l loss) update(t *testing.T, name string, content []byte) {
	t.Helper()
	status, answer := call(t, l.s, "POST", "/v1/update", l.projectKey, map[string]any{"project_id": l.id, "filename": name, "content": content})
	if status != http.StatusOK {
		t.Fatalf("update: %d %v", status, answer)
	}
}

// recovers runs the command for the project.
func (l loss) recovers(t *testing.T, args ...string) (out string, exit int) {
	t.Helper()
	return administers(t, append(append([]string{"recover-project", l.id, "--from", l.backup, "--as", "ada"}, l.places...), args...)...)
}

// back fails the test unless the project is at its address, as the backup has it, at a version, and its key works.
func (l loss) back(t *testing.T, version int) {
	t.Helper()
	sees(t, l.s, "http://"+l.id+".localhost/", http.StatusOK, []byte("<p>first"))
	sees(t, l.s, "http://"+l.id+".localhost/big.bin", http.StatusOK, l.secondOfProject)
	_, p := call(t, l.s, "GET", "/v1/project/"+l.id, l.projectKey, nil)
	expect.Equal(t, "version", int(p["version"].(float64)), version)
	expect.Equal(t, "title", p["title"].(string), "Marbles")
	out, err := exec.Command(testenv.Binary(t), append([]string{"verify"}, l.places...)...).CombinedOutput()
	expect.OK(t, err, string(out))
	log, _ := administers(t, append([]string{"log", "--target", l.id}, l.places...)...)
	expect.Contains(t, "the audit log", log, "recover")
	expect.Contains(t, "the audit log", log, "ada")
	l.update(t, "next.txt", []byte("next"))
}

func TestOneProjectComesBackFromABackup(t *testing.T) {
	t.Parallel()
	t.Run("that was deleted for good, with its versions", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t)
		l.update(t, "later.txt", []byte("after the backup"))
		_, exit := administers(t, append([]string{"delete", l.id, "--reason", "a mistake"}, l.places...)...)
		expect.Equal(t, "deleted", exit, 0)
		before := filesOf(t, l.backup)
		out, exit := l.recovers(t)
		expect.Equal(t, "exit code\n"+out, exit, 0)
		expect.Contains(t, "the report", out, l.id+" is back in @kim, at version 5: as it was in the backup at version 2 of ")
		expect.Equal(t, "the files of the backup", filesOf(t, l.backup), before)
		l.back(t, 5)
		_, list := call(t, l.s, "GET", "/v1/project/"+l.id+"/versions", l.projectKey, nil)
		expect.Equal(t, "versions", len(list["versions"].([]any)), 3)
	})
	t.Run("that is there, as its next version, with --yes alone", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t)
		l.update(t, "big.bin", []byte("spoiled"))
		out, exit := l.recovers(t)
		expect.Equal(t, "exit code", exit, 1)
		expect.Contains(t, "the refusal", out, l.id+" is there, at version 3 of ")
		expect.Contains(t, "the refusal", out, "nothing was changed.\nWith --yes the files of the backup become its next version")
		out, exit = l.recovers(t, "--yes")
		expect.Equal(t, "exit code\n"+out, exit, 0)
		l.back(t, 4)
	})
	t.Run("that is damaged", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t)
		expect.OK(t, os.Remove(blobOf(t, l.s.Data(), l.secondOfProject)))
		out, exit := l.recovers(t, "--yes")
		expect.Equal(t, "exit code\n"+out, exit, 0)
		sees(t, l.s, "http://"+l.id+".localhost/big.bin", http.StatusOK, l.secondOfProject)
	})
	t.Run("that is in the trash", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t)
		status, answer := call(t, l.s, "DELETE", "/v1/project/"+l.id, l.key, map[string]any{"confirm": l.id})
		if status != http.StatusOK {
			t.Fatalf("delete: %d %v", status, answer)
		}
		out, exit := l.recovers(t)
		expect.Equal(t, "exit code\n"+out, exit, 0)
		l.back(t, 3)
	})
	t.Run("on PostgreSQL and a bucket", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t, fullSet(t)...)
		_, exit := administers(t, append([]string{"delete", l.id, "--reason", "a mistake"}, l.places...)...)
		expect.Equal(t, "deleted", exit, 0)
		out, exit := l.recovers(t)
		expect.Equal(t, "exit code\n"+out, exit, 0)
		l.back(t, 4)
	})
}

func TestSoakAProjectComesBackIntoAnotherAccount(t *testing.T) {
	t.Parallel()
	t.Run("whose account is gone", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t)
		_, exit := administers(t, append([]string{"delete", "@kim", "--reason", "a mistake"}, l.places...)...)
		expect.Equal(t, "deleted", exit, 0)
		out, exit := l.recovers(t)
		expect.Equal(t, "exit code", exit, 1)
		expect.Contains(t, "the refusal", out, "its account @kim is not here any more: name another one with --account")
		call(t, l.s, "POST", "/v1/signup", "", map[string]any{"handle": "lee"})
		out, exit = l.recovers(t, "--account", "@lee")
		expect.Equal(t, "exit code\n"+out, exit, 0)
		expect.Contains(t, "the report", out, l.id+" is back in @lee")
		sees(t, l.s, "http://"+l.id+".localhost/big.bin", http.StatusOK, l.secondOfProject)
	})
	t.Run("of another installation", func(t *testing.T) {
		t.Parallel()
		l := newLoss(t)
		other := testenv.Start(t, testenv.Binary(t))
		l.s, l.places = other, []string{"--data", other.Data()}
		call(t, other, "POST", "/v1/signup", "", map[string]any{"handle": "lee"})
		out, exit := l.recovers(t)
		expect.Equal(t, "exit code", exit, 1)
		expect.Contains(t, "the refusal", out, "is of another installation: name the account that gets the project with --account")
		out, exit = l.recovers(t, "--account", "@lee")
		expect.Equal(t, "exit code\n"+out, exit, 0)
		sees(t, other, "http://"+l.id+".localhost/big.bin", http.StatusOK, l.secondOfProject)
	})
}

func TestABackupThatCannotHelpChangesNothing(t *testing.T) {
	t.Parallel()
	l := newLoss(t)
	_, exit := administers(t, append([]string{"delete", l.id, "--reason", "a mistake"}, l.places...)...)
	expect.Equal(t, "deleted", exit, 0)
	gone := func(t *testing.T) {
		t.Helper()
		status, _ := open(t, l.s, "http://"+l.id+".localhost/")
		expect.Equal(t, "status", status, http.StatusNotFound)
	}
	t.Run("one damaged blob", func(t *testing.T) {
		bad := filepath.Join(t.TempDir(), "backup")
		out, err := exec.Command("cp", "-a", l.backup, bad).CombinedOutput()
		expect.OK(t, err, string(out))
		expect.OK(t, os.WriteFile(blobOf(t, bad, l.secondOfProject), bytes.Repeat([]byte("x"), len(l.secondOfProject)), 0o600))
		spoiled := l
		spoiled.backup = bad
		said, exit := spoiled.recovers(t)
		expect.Equal(t, "exit code", exit, 1)
		expect.Contains(t, "the error", said, "the backup is damaged: ")
		expect.Contains(t, "the error", said, `"big.bin" in the project `+l.id)
		expect.Contains(t, "the error", said, "Nothing was changed. sandlot verify --data "+bad+" lists all damage")
		gone(t)
	})
	t.Run("no such project", func(t *testing.T) {
		none := l
		none.id = "never-was-here"
		said, exit := none.recovers(t)
		expect.Equal(t, "exit code", exit, 4)
		expect.Contains(t, "the error", said, "has no project never-was-here")
	})
	t.Run("a newer schema", func(t *testing.T) {
		bad := filepath.Join(t.TempDir(), "backup")
		out, err := exec.Command("cp", "-a", l.backup, bad).CombinedOutput()
		expect.OK(t, err, string(out))
		expect.OK(t, newerSchema(bad))
		newer := l
		newer.backup = bad
		said, exit := newer.recovers(t)
		expect.Equal(t, "exit code", exit, 1)
		expect.Contains(t, "the error", said, "was written by a newer sandlot")
		gone(t)
	})
	entries, err := filepath.Glob(filepath.Join(l.s.Data(), ".sandlot-copy-*"))
	expect.OK(t, err)
	expect.Equal(t, "copies that are left", len(entries), 0)
}
