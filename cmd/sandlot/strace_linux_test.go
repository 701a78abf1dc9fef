package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
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

// A traced call of the system, with the places in the trace where it was entered
// and left.
type traced struct {
	text        string // NAME(ARGUMENTS) = RESULT
	begun, done int
}

var (
	tracedLine = regexp.MustCompile(`^(\d+) +(.*)$`)
	resumed    = regexp.MustCompile(`^<\.\.\. \w+ resumed>(.*)$`)
)

// readTrace returns the calls in the order in which they ended, from that line
// on, and how many lines there are.
func readTrace(t *testing.T, tr *tracer, from int) ([]traced, int) {
	t.Helper()
	text, err := os.ReadFile(tr.out)
	expect.OK(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	var calls []traced
	open := map[string]traced{} // by thread
	n := 0
	for i, line := range lines {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		n = i + 1
		m := tracedLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || i < from {
			continue
		}
		thread, text := m[1], m[2]
		if begin, unfinished := strings.CutSuffix(text, " <unfinished ...>"); unfinished {
			open[thread] = traced{text: begin, begun: i}
			continue
		}
		c := traced{text: text, begun: i, done: i}
		if m := resumed.FindStringSubmatch(text); m != nil {
			c.text, c.begun = open[thread].text+m[1], open[thread].begun
		}
		calls = append(calls, c)
	}
	return calls, n
}

// awaitTraced reads the trace until a call is in it whose text matches.
func awaitTraced(t *testing.T, tr *tracer, from int, pattern *regexp.Regexp) []traced {
	t.Helper()
	var calls []traced
	testenv.Eventually(t, 30*time.Second, "a traced call like "+pattern.String(), func() bool {
		calls, _ = readTrace(t, tr, from)
		return slices.ContainsFunc(calls, func(c traced) bool { return pattern.MatchString(c.text) })
	})
	return calls
}
