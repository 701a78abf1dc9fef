package testenv

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// startWait is how long a server may take to say that it listens: a first start on a small machine that is busy with other tests.
	startWait = 60 * time.Second
	// stopWait is the longest time of a graceful stop: 5 s of grace, 2.5 s for answers to cut bodies, and 20 s for writes.
	stopWait = 45 * time.Second
	// requestWait ends a request that hangs; a publish of 100 MB on a busy machine is well within it.
	requestWait = 2 * time.Minute
	// tailShown is how much of its log a server shows when its test has failed, in bytes, and of its warnings alone, which a test that
	// waits
	// soon drowns.
	tailShown = 8 << 10
)

// A Server is a running sandlot program, the real one, on a data folder and a loopback port of its own. It ends with its test. Its
// methods that take a testing.TB are for one goroutine at a time; the others may be called while requests are running.
type Server struct {
	bin  string
	args []string
	data string

	cmd    *exec.Cmd
	logs   *logs
	exited chan struct{} // closed when cmd has ended and its output is complete
	addr   string
	client *http.Client
}

// Start runs bin as "serve --listen 127.0.0.1:0 --data FOLDER" followed by args, and returns when it listens. Args that name --listen or
// --data themselves replace the default. The program sees none of the caller's SANDLOT_ variables. Start fails the test, showing the
// output, if the program ends or stays silent instead.
func Start(tb testing.TB, bin string, args ...string) *Server {
	tb.Helper()
	s := &Server{bin: bin}
	if !hasFlag(args, "--listen") {
		s.args = append(s.args, "--listen", "127.0.0.1:0")
	}
	if !hasFlag(args, "--data") {
		s.data = tb.TempDir()
		s.args = append(s.args, "--data", s.data)
	}
	s.args = append(s.args, args...)
	// Registered after the folder's own removal, so run before it.
	tb.Cleanup(func() { s.finish(tb) })
	s.run(tb)
	return s
}

// Restart runs the program again with the same arguments, on the same data folder, after ending it as Stop does if it is still running.
// It listens on a new port, and its logs begin anew.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	if s.running() {
		s.Stop(tb)
	}
	s.run(tb)
}

// Stop asks the program to end (SIGTERM), waits until it has, and returns its exit code. It fails the test if the program is not running
// or does not end in time.
func (s *Server) Stop(tb testing.TB) int {
	tb.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		tb.Fatalf("stop the server: %v", err)
	}
	select {
	case <-s.exited:
	case <-time.After(stopWait):
		tb.Fatalf("the server did not stop within %v", stopWait)
	}
	s.client.CloseIdleConnections()
	return s.cmd.ProcessState.ExitCode()
}

// Kill ends the program at once (SIGKILL), as a crash would, and returns when it is gone. If it has ended already, Kill does nothing.
func (s *Server) Kill(tb testing.TB) {
	tb.Helper()
	if !s.running() {
		return
	}
	// The only error is that the program has just ended by itself.
	_ = s.cmd.Process.Kill()
	<-s.exited
	s.client.CloseIdleConnections()
}

// Addr returns the address that the server listens on, host and port.
func (s *Server) Addr() string { return s.addr }

// URL returns the server's address as "http://127.0.0.1:PORT", without a slash at the end.
func (s *Server) URL() string { return "http://" + s.addr }

// Data returns the data folder, or "" if the arguments of Start named one.
func (s *Server) Data() string { return s.data }

// PID returns the id of the server's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Logs returns what the program has printed since it was started last, on both outputs, up to 64 MiB. It is complete after Stop and Kill.
func (s *Server) Logs() string { return s.logs.String() }

// Client returns a client whose every connection goes to this server, whatever host the URL names, so that a project's own address can
// be requested without a name server. It follows redirects, ends a request after two minutes, and is good until the next Restart.
func (s *Server) Client() *http.Client { return s.client }

func (s *Server) run(tb testing.TB) {
	tb.Helper()
	s.logs, s.exited = newLogs(), make(chan struct{})
	s.cmd = exec.Command(s.bin, append([]string{"serve"}, s.args...)...)
	s.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SANDLOT_") })
	s.cmd.Stdout, s.cmd.Stderr = s.logs, s.logs
	// A child of the program that outlives it must not keep its output, and so the test, open.
	s.cmd.WaitDelay = 5 * time.Second
	if err := s.cmd.Start(); err != nil {
		close(s.exited)
		tb.Fatalf("start the server: %v", err)
	}
	go func(cmd *exec.Cmd, exited chan struct{}) {
		// How it ended is in cmd.ProcessState.
		_ = cmd.Wait()
		close(exited)
	}(s.cmd, s.exited)
	s.awaitAddr(tb)
	s.client = clientFor(s.addr)
}

func (s *Server) awaitAddr(tb testing.TB) {
	tb.Helper()
	select {
	case s.addr = <-s.logs.found:
	case <-s.exited:
		tb.Fatalf("the server ended instead of listening: %v", s.cmd.ProcessState)
	case <-time.After(startWait):
		tb.Fatalf("the server did not log msg=listening within %v", startWait)
	}
}

func (s *Server) running() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// finish ends the program with its test, and shows the end of its log if the test has failed.
func (s *Server) finish(tb testing.TB) {
	if s.running() {
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
	if tb.Failed() {
		all := s.Logs()
		tb.Logf("the server's warnings end:\n%s", tail(warnings(all)))
		tb.Logf("the server's log ends:\n%s", tail(all))
	}
}

func tail(log string) string { return log[max(0, len(log)-tailShown):] }

// warnings are the lines of a log that say more than what is usual.
func warnings(log string) string {
	var out strings.Builder
	for line := range strings.Lines(log) {
		if !strings.Contains(line, " level=INFO ") && !strings.Contains(line, " level=DEBUG ") {
			out.WriteString(line)
		}
	}
	return out.String()
}

func clientFor(addr string) *http.Client {
	var d net.Dialer
	return &http.Client{
		Timeout: requestWait,
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return d.DialContext(ctx, network, addr)
			},
			// The tests ask for encodings themselves and compare the bytes that were sent.
			DisableCompression: true,
			// A load test's connections are reused instead of filling the port range.
			MaxIdleConnsPerHost: 64,
		},
	}
}

func hasFlag(args []string, name string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == name || strings.HasPrefix(a, name+"=") })
}
