package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestTheRoomOfATrial looks from the machine at all processes of a trial: what they may do, see, and hold open.
func TestTheRoomOfATrial(t *testing.T) {
	testenv.Unraced(t)
	t.Setenv("SANDLOT_SMTP_URL", "smtp://secret@mail.example") // of the server, which its worker must not have
	secret, err := os.CreateTemp(t.TempDir(), "secret")
	expect.OK(t, err)
	defer secret.Close()
	expect.OK(t, unix.Chmod(secret.Name(), 0o644))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var once sync.Once
	looked := 0
	origin := answers(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/look" {
			once.Do(func() { looked = lookAround(t, secret.Name()); end() })
		}
		_, _ = w.Write([]byte("<!doctype html><h1>room</h1><script>fetch('/look')</script>"))
	})
	_, err = sees(ctx, t, origin, &Browser{times: patient()})
	expect.Is(t, "the end after the look", err, context.Canceled)
	expect.Equal(t, "that pages were among them", looked > 0, true)
}

// lookAround holds what all processes beneath this one are, and returns how many of them are pages.
func lookAround(t *testing.T, secret string) (pages int) {
	own := map[string]string{}
	kinds := []string{"user", "net", "pid", "mnt", "ipc", "uts", "cgroup"}
	for _, kind := range kinds {
		own[kind], _ = os.Readlink("/proc/self/ns/" + kind)
	}
	for pid, parent := range descendants(os.Getpid()) {
		at := fmt.Sprintf("/proc/%d/", pid)
		command, err := os.ReadFile(at + "cmdline")
		if err != nil || len(command) == 0 {
			continue // it has ended
		}
		status := statusOf(pid)
		name := fmt.Sprintf("%s %.60q", lineOf(status, "Name:"), command)
		same := func(what, got, want string) {
			if got != want {
				t.Errorf("%s of %s: %q, not %q", what, name, got, want)
			}
		}
		for _, kind := range kinds {
			if its, err := os.Readlink(at + "ns/" + kind); err == nil && its == own[kind] {
				t.Errorf("%s has the machine's namespace %s", name, its)
			}
		}
		user := fmt.Sprint(unprivileged().UID)
		same("the users", lineOf(status, "Uid:"), strings.Join([]string{user, user, user, user}, "\t"))
		same("new rights", lineOf(status, "NoNewPrivs:"), "1")
		if parent == os.Getpid() || !strings.Contains(string(command), "--type=") { // the worker and the browser; beneath, Chromium has rooms of its own
			for _, set := range []string{"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"} {
				same("the capabilities "+set, lineOf(status, set), "0000000000000000")
			}
		}
		if strings.Contains(string(command), "--type=renderer") {
			pages++
			same("Chromium's filter of calls", lineOf(status, "Seccomp:"), "2")
			same("the capabilities", lineOf(status, "CapEff:"), "0000000000000000")
		}
		environ, _ := os.ReadFile(at + "environ")
		if strings.Contains(string(environ), "SANDLOT") || strings.Contains(string(environ), "secret") {
			t.Errorf("%s has the server's environment", name)
		}
		if _, err := os.Stat(at + "root" + secret); err == nil {
			t.Errorf("%s sees a file of the machine", name)
		}
		for _, folder := range []string{"/root", "/home", "/var/lib", "/srv", "/run", "/sys", "/etc/passwd", "/usr/local/bin", "/work", "/opt/sandlot"} {
			if _, err := os.Stat(at + "root" + folder); err == nil {
				t.Errorf("%s sees %s", name, folder)
			}
		}
		open, _ := filepath.Glob(at + "fd/*") // the pattern is right
		for _, fd := range open {
			to, _ := os.Readlink(fd)
			if slices.ContainsFunc([]string{"/tmp/", "/usr/", "/lib", "/dev/", "/proc/", "/memfd:", "pipe:", "socket:", "anon_inode:", "/ "}, func(p string) bool { return strings.HasPrefix(to, p) }) || to == "" || to == "/" || to == "/proc" {
				continue
			}
			t.Errorf("%s has %s open", name, to)
		}
		if parent == os.Getpid() {
			info, err := os.Stat(at + "environ")
			if err == nil && info.Sys() != nil && os.Geteuid() == 0 {
				same("who may look into the worker", fmt.Sprint(ownerOf(at+"environ")), "0")
			}
		}
	}
	return pages
}

// lineOf is what stands behind a name at the begin of a line.
func lineOf(status []byte, name string) string {
	_, after, _ := strings.Cut("\n"+string(status), "\n"+name)
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}

func ownerOf(path string) (uid uint32) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return 1 << 31
	}
	return s.Uid
}

// serverCommand is this program as a server that opens one page: with a worker that a page has taken over, or with a real one.
const serverCommand = "playtest-server"

func serveTrial(stage string) {
	go func() { <-time.After(2 * time.Minute); os.Exit(4) }() // whatever becomes of the test
	program, _ := find()
	b := &Browser{User: unprivileged(), Origin: files{"/": game}, program: program, stage: stage, times: patient()}
	_, err := b.Open(context.Background(), trial.Due{Project: "pong"})
	fmt.Fprintln(os.Stderr, "the trial ended:", err)
}

// TestNothingOutlivesAServer: that is killed in the midst of a trial, also where the worker would go on.
func TestNothingOutlivesAServer(t *testing.T) {
	testenv.Unraced(t)
	testenv.Need(t, "chromium")
	for name, c := range map[string]struct{ stage, begun string }{
		"with a worker that goes on": {"unready", "playtest-worker\x00unready"}, "with a page": {StageRoom, "--type=renderer"},
	} {
		t.Run(name, func(t *testing.T) {
			server := exec.Command("/proc/self/exe", serverCommand, c.stage)
			expect.OK(t, server.Start())
			defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
			pids := map[int]string{}
			testenv.Eventually(t, time.Minute, "a worker and what is beneath it", func() bool {
				begun := false
				for pid := range descendants(server.Process.Pid) {
					pids[pid] = begin(pid)
					command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
					begun = begun || strings.Contains(string(command), c.begun)
				}
				return begun
			})
			expect.OK(t, server.Process.Kill())
			testenv.Eventually(t, 20*time.Second, "the end of all", func() bool {
				for pid, begun := range pids {
					if begun != "" && begin(pid) == begun {
						return false
					}
				}
				return true
			})
		})
	}
}
