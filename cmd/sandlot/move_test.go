package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// move runs the command and returns what it prints, and its exit code.
func move(t *testing.T, args ...string) (string, int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), testenv.Binary(t), append([]string{"move"}, args...)...).CombinedOutput()
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		return string(out), exited.ExitCode()
	}
	expect.OK(t, err)
	return string(out), 0
}

// A ledger is what was acknowledged: the page and the file of each project.
type ledger struct {
	mu    sync.Mutex
	pages map[string]string // by project
	pause time.Duration     // after each project; 30 ms if it is zero
}

// fill publishes until it is refused, and returns how.
func (l *ledger) fill(t *testing.T, c *client.Client, who string) error {
	for n := 0; ; n++ {
		testenv.Wait(t, cmp.Or(l.pause, 30*time.Millisecond), "as many changes as a small service has: all are compared at the end")
		page := fmt.Sprintf("<p>%s %d", who, n)
		made, err := c.Publish(t.Context(), client.Fields{}, strings.NewReader(page))
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.pages[made.ProjectID] = page
		l.mu.Unlock()
		if _, err := c.Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "big.bin"}, strings.NewReader(string(bigFile(page)))); err != nil {
			return err
		}
		l.mu.Lock()
		l.pages[made.ProjectID+"/big.bin"] = string(bigFile(page))
		l.mu.Unlock()
	}
}

// held fails the test unless a server serves all that was acknowledged.
func (l *ledger) held(t *testing.T, s *testenv.Server) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, want := range l.pages {
		id, file, _ := strings.Cut(at, "/")
		if status, got := open(t, s, "http://"+id+".localhost/"+file); status != http.StatusOK || string(got) != want {
			t.Errorf("%s: %d with %d bytes instead of %d", at, status, len(got), len(want))
		}
	}
}

// prefixed are the flags of one side of a move.
func prefixed(side string, flags []string) (list []string) {
	for i := 0; i < len(flags); i += 2 {
		if flags[i] != "--redis-url" {
			list = append(list, "--"+side+strings.TrimPrefix(flags[i], "-"), flags[i+1])
		}
	}
	return list
}

// refusedMove fails the test unless a move is refused with a code and words.
func refusedMove(t *testing.T, what string, code int, words string, args ...string) {
	t.Helper()
	if out, exit := move(t, args...); exit != code || !strings.Contains(out, words) || strings.Contains(out, "hunter2") {
		t.Errorf("%s: exit code %d\n%s", what, exit, out)
	}
}

func moves(t *testing.T, args ...string) {
	t.Helper()
	if out, exit := move(t, args...); exit != 0 || !strings.Contains(out, "copied and compared") {
		t.Fatalf("exit code %d\n%s", exit, out)
	}
}

func TestSoakAMoveThatCannotBeMeantChangesNothing(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	s.Stop(t)
	files := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(files, "letter.txt"), []byte("somebody's"), 0o600))
	link := filepath.Join(t.TempDir(), "link")
	expect.OK(t, os.Symlink(s.Data(), link))
	for name, c := range map[string]struct {
		args []string
		exit int
		says string
	}{
		"nowhere":                   {[]string{"--from", s.Data()}, 2, "--to is needed"},
		"from nowhere":              {[]string{"--to", t.TempDir()}, 2, "--from is needed"},
		"from nothing":              {[]string{"--from", t.TempDir(), "--to", t.TempDir()}, 1, "is not a Sandlot data folder"},
		"to itself by another name": {[]string{"--from", s.Data(), "--to", link}, 2, "are the same folder"},
		"to files":                  {[]string{"--from", s.Data(), "--to", files}, 1, "is not empty; nothing was changed"},
		"to no database":            {[]string{"--from", s.Data(), "--to", t.TempDir(), "--to-database-url", "postgres://u:hunter2@127.0.0.1:1/none"}, 1, "127.0.0.1:1"},
		"to no address":             {[]string{"--from", s.Data(), "--to", t.TempDir(), "--to-database-url", "mysql://u:hunter2@h/none"}, 2, "--to: --database-url"},
	} {
		refusedMove(t, name, c.exit, c.says, c.args...)
	}
	s.Restart(t)
}

func TestSoakAMoveOfDamagedDataNamesTheFileAndStops(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	id := withBig(t, s, key)
	call(t, s, "POST", "/v1/update", key, map[string]any{"filename": "lost.bin", "content": bigFile("lost")})
	s.Stop(t)
	lost := blobOf(t, s.Data(), bigFile("lost"))
	expect.OK(t, os.Rename(lost, lost+".away"))
	to := filepath.Join(t.TempDir(), "moved")
	args := []string{"--from", s.Data(), "--to", to}
	refusedMove(t, "damaged", 1, "missing project="+id+` file="lost.bin"`, args...)
	moves(t, append(args, "--allow-damaged")...)
	if found, exit := verify(t, to); exit != 1 || len(found) != 1 || found[0].Filename != "lost.bin" {
		t.Errorf("exit code %d, %v", exit, found)
	}
	expect.OK(t, os.Rename(lost+".away", lost))
	moves(t, "--from", s.Data(), "--to", filepath.Join(t.TempDir(), "mended"))
}
