package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Program is a program started by Start.
type Program struct {
	Addr string        // where it listens
	Took time.Duration // from its start until it listened

	cmd   *exec.Cmd
	log   string
	ended chan struct{} // closed when it has ended
}

const (
	startWait = 2 * time.Minute  // to listen: a store of a million projects on a busy machine
	stopWait  = 45 * time.Second // to end after SIGTERM: the service gives its requests 5 s
	pollStep  = 2 * time.Millisecond
)

// announced matches the log line with the address of our own programs.
var announced = regexp.MustCompile(`(?m)msg=listening addr=(\S+)`)

// Start runs a program and returns when it listens. Its output goes to a file, as with a service manager. If addr is
// empty the program chooses a port itself and prints "msg=listening addr=HOST:PORT".
func (r *Rig) Start(ctx context.Context, addr string, argv ...string) (*Program, error) {
	return r.start(ctx, addr, nil, argv...)
}

// start works like Start, with additional variables.
func (r *Rig) start(ctx context.Context, addr string, env []string, argv ...string) (*Program, error) {
	dir, err := r.Folder(filepath.Base(argv[0]))
	if err != nil {
		return nil, err
	}
	p := &Program{Addr: addr, log: filepath.Join(dir, "log"), ended: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	// Settings of another server must not apply.
	p.cmd.Env = append(append(ownEnv(), "HOME="+dir), env...)
	started := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // the log has the result
		close(p.ended)
	}()
	r.running = append(r.running, p)
	if err := p.await(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", argv[0], err), p.Stop())
	}
	p.Took = time.Since(started)
	return p, nil
}

func ownEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SANDLOT_") && !strings.HasPrefix(v, "HOME=") {
			env = append(env, v)
		}
	}
	return env
}

// await polls, since a program does not notify anybody.
func (p *Program) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for !p.listens() {
		select {
		case <-p.ended:
			return fmt.Errorf("it ended:\n%s", p.Log())
		case <-ctx.Done():
			return fmt.Errorf("it does not listen:\n%s", p.Log())
		case <-time.After(pollStep):
		}
	}
	return nil
}

func (p *Program) listens() bool {
	if p.Addr == "" {
		if found := announced.FindStringSubmatch(p.Log()); found != nil {
			p.Addr = found[1]
		}
		return p.Addr != ""
	}
	c, err := dial(context.Background(), p.Addr)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// logShown limits how much of a program's output is read, from its beginning.
const logShown = 16 << 10

// Log returns the beginning of the program's output.
func (p *Program) Log() string {
	f, err := os.Open(p.log)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	b := make([]byte, logShown)
	n, _ := f.Read(b) // 0 at the end
	return string(b[:n])
}

// Stop sends the program SIGTERM, and kills it if it does not end. It may be called again.
func (p *Program) Stop() error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it has ended if this fails
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopWait):
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	return fmt.Errorf("%s did not end within %s", p.cmd.Path, stopWait)
}

// Kill ends the program at once, as a crash would.
func (p *Program) Kill() {
	_ = p.cmd.Process.Kill() // it has ended if this fails
	<-p.ended
}

// Memory holds the memory of a process, in bytes.
type Memory struct {
	Now  int64 // resident
	Peak int64 // the most since ResetPeak
}

// Memory returns the memory of the program, from the kernel.
func (p *Program) Memory() (Memory, error) {
	b, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return Memory{}, err
	}
	return Memory{Now: kib(b, "VmRSS"), Peak: kib(b, "VmHWM")}, nil
}

// ResetPeak restarts the measurement of the peak.
func (p *Program) ResetPeak() error {
	return os.WriteFile(p.proc("clear_refs"), []byte("5"), 0)
}

// Files returns the number of open file descriptors of the program.
func (p *Program) Files() (int, error) {
	list, err := os.ReadDir(p.proc("fd"))
	return len(list), err
}

// Logged returns the bytes that the program has printed.
func (p *Program) Logged() (int64, error) {
	info, err := os.Stat(p.log)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadBytes returns the bytes that the program has read, from any source.
func (p *Program) ReadBytes() (int64, error) { return p.io("rchar") }

// WrittenBytes returns the bytes that the program has written to disks.
func (p *Program) WrittenBytes() (int64, error) { return p.io("write_bytes") }

func (p *Program) io(name string) (int64, error) {
	b, err := os.ReadFile(p.proc("io"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), name+": ")
	line, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseInt(line, 10, 64)
}

func (p *Program) proc(name string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), name)
}

// kib parses a line such as "VmRSS:  1234 kB".
func kib(status []byte, name string) int64 {
	_, rest, _ := strings.Cut(string(status), name+":")
	line, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, " kB")), 10, 64) // the kernel writes it
	return n << 10
}
