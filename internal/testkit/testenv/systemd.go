//go:build unix

package testenv

import (
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Unit is what systemd knows of a service: the lines of its .service and .socket files.
type Unit struct {
	ExecStart []string          // the program and its arguments
	Env       []string          // its whole environment, beside what systemd adds; nil: the caller's without SANDLOT_ variables
	Dir       string            // its working folder; "" is the caller's
	Sockets   map[string]string // ListenStream= by FileDescriptorName=: HOST:PORT, whose port may be 0, or the path of a Unix socket
	Watchdog  time.Duration     // WatchdogSec=, in the program's environment; nothing is killed for silence. 0: none
}

// Systemd plays the part of systemd for one service of Type=notify: it holds the sockets, passes them to each process of the service, and
// hears its notifications. Its methods that take a testing.TB are for one goroutine at a time. The service ends with its test.
type Systemd struct {
	unit    Unit
	names   []string
	sockets []net.Listener
	files   []*os.File
	notices *net.UnixConn

	cmd    *exec.Cmd
	logs   *logs
	exited chan struct{}

	mu   sync.Mutex
	said []string
}

// Supervise opens the sockets of a unit and waits for notifications. It starts nothing: clients that connect wait in the sockets' queues.
func Supervise(tb testing.TB, unit Unit) *Systemd {
	tb.Helper()
	s := &Systemd{unit: unit, names: slices.Sorted(maps.Keys(unit.Sockets)), logs: newLogs()}
	if s.unit.Env == nil {
		s.unit.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SANDLOT_") })
	}
	for _, name := range s.names {
		s.open(tb, unit.Sockets[name])
	}
	// An abstract name: the folder of a test may be longer than a socket's path can be.
	at, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: "", Net: "unixgram"})
	if err != nil {
		tb.Fatalf("listen for notifications: %v", err)
	}
	s.notices = at
	go s.hear()
	tb.Cleanup(func() { s.finish(tb) })
	return s
}

func (s *Systemd) open(tb testing.TB, address string) {
	tb.Helper()
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		tb.Fatalf("open a socket of the unit: %v", err)
	}
	f, err := l.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		tb.Fatalf("open a socket of the unit: %v", err)
	}
	s.sockets, s.files = append(s.sockets, l), append(s.files, f)
}

// Addr returns the address of the socket of that name.
func (s *Systemd) Addr(name string) string {
	return s.sockets[slices.Index(s.names, name)].Addr().String()
}

// Start runs the program and returns when it has said READY=1. It fails the test if the program ends or stays silent instead.
func (s *Systemd) Start(tb testing.TB) {
	tb.Helper()
	s.Run(tb)
	s.Await(tb, "READY=1")
}

// Run runs the program and returns at once. Its output and its notifications begin anew.
func (s *Systemd) Run(tb testing.TB) {
	tb.Helper()
	s.logs, s.exited = newLogs(), make(chan struct{})
	s.mu.Lock()
	s.said = nil
	s.mu.Unlock()
	// The shell becomes the program, and so has its process id before it starts.
	s.cmd = exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$@"`, "sh"}, s.unit.ExecStart...)...)
	s.cmd.Dir, s.cmd.Env, s.cmd.ExtraFiles = s.unit.Dir, slices.Concat(s.unit.Env, s.environment()), s.files
	s.cmd.Stdout, s.cmd.Stderr = s.logs, s.logs
	s.cmd.WaitDelay = 5 * time.Second // a child that outlives the program must not keep its output open
	if err := s.cmd.Start(); err != nil {
		close(s.exited)
		tb.Fatalf("start the unit: %v", err)
	}
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
		close(exited)
	}(s.cmd, s.exited)
}

// environment returns what systemd adds to a service's own (systemd.exec(5)), without the process ids.
func (s *Systemd) environment() []string {
	env := []string{"NOTIFY_SOCKET=" + s.notices.LocalAddr().String()}
	if len(s.files) > 0 {
		env = append(env, "LISTEN_FDS="+strconv.Itoa(len(s.files)), "LISTEN_FDNAMES="+strings.Join(s.names, ":"))
	}
	if s.unit.Watchdog > 0 {
		env = append(env, "WATCHDOG_USEC="+strconv.FormatInt(s.unit.Watchdog.Microseconds(), 10))
	}
	return env
}

// hear records the notifications.
func (s *Systemd) hear() {
	buf := make([]byte, 4<<10)
	for {
		n, err := s.notices.Read(buf)
		if err != nil {
			return // closed with the test
		}
		s.mu.Lock()
		s.said = append(s.said, strings.Split(strings.TrimSpace(string(buf[:n])), "\n")...)
		s.mu.Unlock()
	}
}

// Said returns the notifications of the present process, a line each, in their order.
func (s *Systemd) Said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.said)
}

// Await returns when a notification that begins so has come. It fails the test if the program ends or stays silent instead.
func (s *Systemd) Await(tb testing.TB, prefix string) {
	tb.Helper()
	ended := false
	Eventually(tb, startWait, "the program says "+prefix, func() bool {
		select {
		case <-s.exited:
			ended = true
		default:
		}
		return ended || slices.ContainsFunc(s.Said(), func(line string) bool { return strings.HasPrefix(line, prefix) })
	})
	if ended {
		tb.Fatalf("the program ended instead of saying %s: %v", prefix, s.cmd.ProcessState)
	}
}

// Signal sends a signal to the program.
func (s *Systemd) Signal(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		tb.Fatalf("signal the unit: %v", err)
	}
}

// Wait waits until the program has ended, and returns its exit code: -1 after a signal. It fails the test if the program goes on.
func (s *Systemd) Wait(tb testing.TB) int {
	tb.Helper()
	select {
	case <-s.exited:
	case <-time.After(stopWait):
		tb.Fatalf("the unit did not end within %v", stopWait)
	}
	return s.cmd.ProcessState.ExitCode()
}

// Stop ends the program as "systemctl stop" does for the service alone: the sockets stay open. It returns the exit code.
func (s *Systemd) Stop(tb testing.TB) int {
	tb.Helper()
	s.Signal(tb, syscall.SIGTERM)
	return s.Wait(tb)
}

// Restart stops the program, starts it again and returns when it is ready.
func (s *Systemd) Restart(tb testing.TB) {
	tb.Helper()
	if code := s.Stop(tb); code != 0 {
		tb.Fatalf("the unit ended with %d", code)
	}
	s.Start(tb)
}

// PID returns the id of the program's process.
func (s *Systemd) PID() int { return s.cmd.Process.Pid }

// Logs returns what the program has printed since it was started last, on both outputs. It is complete after Wait.
func (s *Systemd) Logs() string { return s.logs.String() }

// finish ends everything, and shows the end of the log if the test has failed.
func (s *Systemd) finish(tb testing.TB) {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // the only error is that it has ended
		<-s.exited
	}
	s.notices.Close()
	for i := range s.files {
		s.files[i].Close()
		s.sockets[i].Close()
	}
	if tb.Failed() {
		tb.Logf("the unit's notifications:\n%s\nits log ends:\n%s", strings.Join(s.Said(), "\n"), tail(s.Logs()))
	}
}
