package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	startWait = time.Minute // for msg=listening: far longer than any start on a busy machine takes
	stopWait  = time.Minute // for the end after SIGTERM: its grace is 5 s
)

// errKilled means that the program was killed before it listened.
var errKilled = errors.New("killed before it listened")

// A program is one process of Sandlot.
type program struct {
	cmd    *exec.Cmd
	addr   string
	took   time.Duration // from its start until it listened
	exited chan struct{} // closed when it is gone and its output complete
	late   atomic.Bool   // whether it was killed from outside
}

// launch starts the program and does not wait. It appends the output to log.
func launch(bin, log string, args, env []string) (*program, <-chan string, error) {
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	p := &program{exited: make(chan struct{})}
	p.cmd = exec.Command(bin, append([]string{"serve", "--listen", "127.0.0.1:0", "--base-url", base.String()}, args...)...)
	p.cmd.Env = append(ownEnvironment(), env...)
	lines, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	addr := make(chan string, 1)
	go func() {
		tee(lines, out, addr)
		_ = p.cmd.Wait() // ProcessState has the result
		out.Close()
		close(p.exited)
	}()
	return p, addr, nil
}

// ownEnvironment returns this process's environment without settings of another Sandlot.
func ownEnvironment() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SANDLOT_") {
			env = append(env, v)
		}
	}
	return env
}

// tee copies the program's output, and sends its address once.
func tee(from io.Reader, to io.Writer, addr chan<- string) {
	listening := regexp.MustCompile(`msg=listening .*?addr="?([^\s",]+)`)
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadString('\n')
		_, _ = io.WriteString(to, line) // a full log must not stop the program
		if m := listening.FindStringSubmatch(line); m != nil {
			select {
			case addr <- m[1]:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// start runs the program and returns once it listens, or with errKilled.
func start(ctx context.Context, bin, log string, args, env []string) (*program, error) {
	begun := time.Now()
	p, addr, err := launch(bin, log, args, env)
	if err != nil {
		return nil, err
	}
	select {
	case p.addr = <-addr:
		p.took = time.Since(begun)
		return p, nil
	case <-p.exited:
		if p.wasKilled() {
			return nil, errKilled
		}
		err = fmt.Errorf("the program ended instead of listening: %v", p.cmd.ProcessState)
	case <-time.After(startWait):
		err = fmt.Errorf("the program did not listen within %v", startWait)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.kill()
	return nil, err
}

// wasKilled reports whether a program that is gone was killed.
func (p *program) wasKilled() bool { return wasKilled(p.cmd.ProcessState) }

func wasKilled(state *os.ProcessState) bool {
	if state == nil {
		return false // it never ran
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// kill ends the program at once, as a crash would, and returns when it is gone.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // the only error is that it is gone
	<-p.exited
}

// killLate kills the program at the end of its time, even if it waits for a point.
func (p *program) killLate() {
	p.late.Store(true)
	_ = p.cmd.Process.Kill()
}

// stop sends the program SIGTERM and returns its exit code.
func (p *program) stop() (int, error) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(stopWait):
		p.kill()
		return 0, fmt.Errorf("the program did not stop within %v", stopWait)
	}
}

// gone reports whether the program has ended, or does so soon: an answer may break off a moment before the end of the
// process is visible.
func (p *program) gone() bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(5 * time.Second):
		return false
	}
}
