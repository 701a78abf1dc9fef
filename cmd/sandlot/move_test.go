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

// move runs the program beside the server.
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

// targets are where the records of a move may go: to a folder, or with their files in one to a database.
func targets(t *testing.T) map[string][]string {
	return map[string][]string{"a folder": nil, "a database": {"--to-database-url", testenv.Postgres(t)}}
}

func TestSoakAMoveBesideWritersLosesNothing(t *testing.T) {
	t.Parallel()
	for name, database := range targets(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			id := withBig(t, s, key)
			kept := ledger{pages: map[string]string{}}
			refused := make(chan error, 2)
			for i := range cap(refused) {
				go func() { refused <- kept.fill(t, apiOf(s, key), fmt.Sprint("writer ", i)) }()
			}
			to := filepath.Join(t.TempDir(), "moved")
			args := append([]string{"--from", s.Data(), "--to", to}, database...)
			for _, after := range []time.Duration{30, 90, 200, 400} {
				cmd := exec.Command(testenv.Binary(t), append([]string{"move"}, args...)...)
				expect.OK(t, cmd.Start())
				testenv.Wait(t, after*time.Millisecond, "the process is killed at any point of its work")
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			if out, exit := move(t, args...); exit != 0 && !strings.Contains(out, "has moved to") { // or one of those was faster
				t.Fatalf("exit code %d\n%s", exit, out)
			}
			for range cap(refused) {
				if err := <-refused; !strings.Contains(fmt.Sprint(err), "moving to other storage") {
					t.Errorf("a change that came after the switch: %v", err)
				}
			}
			kept.held(t, s)
			s.Restart(t)
			kept.held(t, s)
			if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "new.txt", "content": []byte("more")}); status != http.StatusServiceUnavailable {
				t.Errorf("an update of what was left: %d %v", status, answer)
			}
			if !strings.Contains(s.Logs(), "all records have moved") {
				t.Errorf("a server that is started on what was left does not say so:\n%s", s.Logs())
			}
			serve := []string{"--data", to}
			if database != nil {
				serve = append(serve, "--database-url", database[1])
			} else if found, exit := verify(t, to); exit != 0 {
				t.Errorf("exit code %d, %v", exit, found)
			}
			moved := testenv.Start(t, testenv.Binary(t), serve...)
			kept.held(t, moved)
			if status, got := open(t, moved, "http://"+id+".localhost/big.bin"); status != http.StatusOK || string(got) != string(bigFile("before")) {
				t.Errorf("a file from before: %d with %d bytes", status, len(got))
			}
			if status, answer := call(t, moved, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "new.txt", "content": []byte("more")}); status != http.StatusOK {
				t.Errorf("an update: %d %v", status, answer)
			}
		})
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

func TestAMoveToADatabaseAndABucketAndBack(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	kept := ledger{pages: map[string]string{}, pause: 500 * time.Millisecond}
	large := string(page(3 << 20))
	_, made := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte(large)})
	id, _ := made["project_id"].(string)
	kept.pages[id+"/"] = large
	refused := make(chan error, 1)
	go func() { refused <- kept.fill(t, apiOf(s, key), "on the way") }()
	if out, exit := move(t, append([]string{"--from", s.Data()}, prefixed("to", set)...)...); exit != 0 {
		t.Fatalf("exit code %d\n%s", exit, out)
	}
	if err := <-refused; !strings.Contains(fmt.Sprint(err), "moving to other storage") {
		t.Errorf("a change that came after the switch: %v", err)
	}
	node := testenv.Start(t, testenv.Binary(t), set...)
	kept.held(t, node)
	go func() { refused <- kept.fill(t, apiOf(node, key), "on the way back") }()
	dir := filepath.Join(t.TempDir(), "back")
	if out, exit := move(t, append([]string{"--to", dir}, prefixed("from", set)...)...); exit != 0 {
		t.Fatalf("exit code %d\n%s", exit, out)
	}
	if err := <-refused; !strings.Contains(fmt.Sprint(err), "moving to other storage") {
		t.Errorf("a change that came after the switch back: %v", err)
	}
	kept.held(t, node)
	if found, exit := verify(t, dir); exit != 0 {
		t.Errorf("exit code %d, %v", exit, found)
	}
	back := testenv.Start(t, testenv.Binary(t), "--data", dir)
	kept.held(t, back)
	if status, answer := call(t, back, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "new.txt", "content": []byte("more")}); status != http.StatusOK {
		t.Errorf("an update: %d %v", status, answer)
	}
}

func TestSoakAMoveThatCannotBeMeantChangesNothing(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	withBig(t, s, key)
	other := testenv.Start(t, testenv.Binary(t))
	signUp(t, other)
	other.Stop(t)
	files := t.TempDir()
	expect.OK(t, os.MkdirAll(filepath.Join(files, "blobs", "ab"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(files, "blobs", "ab", "ab00000000000000000000000000"), []byte("somebody's"), 0o600))
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
		"to itself":                 {[]string{"--from", s.Data(), "--to", s.Data()}, 2, "are the same folder"},
		"to itself by another name": {[]string{"--from", s.Data(), "--to", link}, 2, "are the same folder"},
		"to records":                {[]string{"--from", s.Data(), "--to", other.Data()}, 1, "is not empty (it has"},
		"to files":                  {[]string{"--from", s.Data(), "--to", files}, 1, "is not empty (there are files in it)"},
		"to no database":            {[]string{"--from", s.Data(), "--to", t.TempDir(), "--to-database-url", "postgres://u:hunter2@127.0.0.1:1/none"}, 1, "127.0.0.1:1"},
		"to no address":             {[]string{"--from", s.Data(), "--to", t.TempDir(), "--to-database-url", "mysql://u:hunter2@h/none"}, 2, "--to: --database-url"},
		"with force":                {[]string{"--from", s.Data(), "--to", t.TempDir(), "--force"}, 2, "--force belongs to --abandon"},
		"abandoned, of none":        {[]string{"--from", s.Data(), "--abandon"}, 4, "no move from here is under way"},
	} {
		if out, exit := move(t, c.args...); exit != c.exit || !strings.Contains(out, c.says) || strings.Contains(out, "hunter2") || strings.Contains(out, goesOn) {
			t.Errorf("%s: exit code %d\n%s", name, exit, out)
		}
	}
	if status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>hi")}); status != http.StatusCreated {
		t.Errorf("a publish after all of that: %d %v", status, answer)
	}
}

func TestSoakAMoveOfDamagedDataIsToldBeforeTheSwitch(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	id := withBig(t, s, key)
	call(t, s, "POST", "/v1/update", key, map[string]any{"filename": "lost.bin", "content": bigFile("lost")})
	lost := blobOf(t, s.Data(), bigFile("lost"))
	expect.OK(t, os.Rename(lost, lost+".away"))
	dir := t.TempDir()
	to := filepath.Join(dir, "moved")
	for range 2 {
		out, exit := move(t, "--from", s.Data(), "--to", to)
		if exit != 1 || strings.Count(out, "missing project="+id+` file="lost.bin"`) != 1 || !strings.Contains(out, "serves as before") {
			t.Fatalf("exit code %d\n%s", exit, out)
		}
	}
	if status, _ := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>hi")}); status != http.StatusCreated {
		t.Errorf("a publish beside it: %d", status)
	}
	t.Run("abandoned", func(t *testing.T) {
		if out, exit := move(t, "--abandon", "--from", s.Data()); exit != 0 {
			t.Fatalf("exit code %d\n%s", exit, out)
		}
		if out, exit := move(t, "--from", s.Data(), "--to", to); exit != 1 || !strings.Contains(out, "by a move that") {
			t.Errorf("exit code %d\n%s", exit, out)
		}
		to = filepath.Join(dir, "another")
		move(t, "--from", s.Data(), "--to", to)
		out, err := exec.Command(testenv.Binary(t), "serve", "--data", to, "--listen", "127.0.0.1:0").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "is being filled from "+s.Data()) {
			t.Errorf("a server on half of a move: %v\n%s", err, out)
		}
	})
	t.Run("mended", func(t *testing.T) {
		expect.OK(t, os.Rename(lost+".away", lost))
		if out, exit := move(t, "--from", s.Data(), "--to", to); exit != 0 {
			t.Errorf("exit code %d\n%s", exit, out)
		}
		if found, exit := verify(t, to); exit != 0 {
			t.Errorf("exit code %d, %v", exit, found)
		}
		if out, exit := move(t, "--from", s.Data(), "--to", to); exit != 1 || !strings.Contains(out, "has moved to "+to) {
			t.Errorf("exit code %d\n%s", exit, out)
		}
	})
	t.Run("taken back", func(t *testing.T) {
		if out, exit := move(t, "--abandon", "--from", s.Data()); exit != 1 || !strings.Contains(out, "--force") {
			t.Errorf("exit code %d\n%s", exit, out)
		}
		if out, exit := move(t, "--abandon", "--force", "--from", s.Data()); exit != 0 {
			t.Fatalf("exit code %d\n%s", exit, out)
		}
		if status, _ := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>hi")}); status != http.StatusCreated {
			t.Errorf("a publish: %d", status)
		}
	})
	t.Run("left behind", func(t *testing.T) {
		expect.OK(t, os.Remove(lost))
		to := filepath.Join(t.TempDir(), "moved")
		if out, exit := move(t, "--from", s.Data(), "--to", to, "--allow-damaged"); exit != 0 || !strings.Contains(out, `file="lost.bin"`) {
			t.Errorf("exit code %d\n%s", exit, out)
		}
		if found, exit := verify(t, to); exit != 1 || len(found) != 1 || found[0].Filename != "lost.bin" {
			t.Errorf("exit code %d, %v", exit, found)
		}
	})
}
