package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// tracer is strace, attached to a running program.
type tracer struct {
	cmd    *exec.Cmd
	out    string
	exited chan struct{}
}

// attach has strace follow all threads of a server, with these arguments, until
// detach or the end of the test. Where nothing can be traced the test is left
// out.
func attach(t *testing.T, s *testenv.Server, args ...string) *tracer {
	t.Helper()
	testenv.Need(t, "strace")
	tr := &tracer{out: filepath.Join(t.TempDir(), "trace"), exited: make(chan struct{})}
	tr.cmd = exec.Command("strace", append([]string{"-f", "-y", "-s", "24", "-o", tr.out, "-p", fmt.Sprint(s.PID())}, args...)...)
	says, err := tr.cmd.StderrPipe()
	expect.OK(t, err)
	expect.OK(t, tr.cmd.Start())
	attached := make(chan string, 1)
	go func() {
		defer close(tr.exited)
		first := true
		for lines := bufio.NewScanner(says); lines.Scan(); first = false {
			if first {
				attached <- lines.Text()
			}
		}
		if first {
			attached <- "nothing"
		}
		_ = tr.cmd.Wait() // it ends by the signal that detaches it
	}()
	t.Cleanup(tr.detach)
	if line := <-attached; !strings.Contains(line, " attached") {
		t.Logf("strace says %s", line)
		testenv.Skip(t, "tracing a process")
	}
	return tr
}

// detach lets the server run on untraced. It may be called again.
func (tr *tracer) detach() {
	_ = tr.cmd.Process.Signal(syscall.SIGTERM) // the only error is that it has ended
	<-tr.exited
}
