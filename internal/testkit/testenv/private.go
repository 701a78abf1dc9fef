//go:build unix

package testenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// emptyEnv names the data of a PostgreSQL server without databases, which scripts/servers has made.
const emptyEnv = "SANDLOT_TEST_POSTGRES_EMPTY"

// s3ProgramEnv names the versitygw that scripts/servers has built.
const s3ProgramEnv = "SANDLOT_TEST_S3_PROGRAM"

// A Private is a server of the test's own, for what the shared one must not suffer. It ends with its test. Its methods are for one
// goroutine at a time; they return when what they ask for is so.
type Private struct {
	url     string
	folder  string
	command []string
	env     []string // beside the test's own
	ready   func() error

	cmd    *exec.Cmd
	exited chan struct{}
	said   said
}

// StartPostgres starts a PostgreSQL that syncs what it commits, with its data in memory. It ends the test as Skip does where there is none.
func StartPostgres(tb testing.TB) *Private {
	tb.Helper()
	empty := ServerURL(tb, emptyEnv, "PostgreSQL")
	dir := MemoryDir(tb)
	if err := os.Chmod(dir, 0o711); err != nil { // another user's server must get through
		tb.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if out, err := exec.Command("cp", "-a", empty, data).CombinedOutput(); err != nil {
		tb.Fatalf("copy the data of an empty server: %v %s", err, out)
	}
	version, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil {
		tb.Fatal(err)
	}
	program := filepath.Join("/usr/lib/postgresql", strings.TrimSpace(string(version)), "bin/postgres") // Debian's, on no PATH
	if _, err := os.Stat(program); err != nil {
		program = "postgres"
	}
	shared, err := url.Parse(ServerURL(tb, postgresEnv, "PostgreSQL"))
	if err != nil {
		tb.Fatal(err)
	}
	address := Port(tb)
	_, port, _ := net.SplitHostPort(address)
	shared.Host = address // with the password of the data
	p := &Private{url: shared.String()}
	if os.Getuid() == 0 { // as which it does not run
		p.command = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"}
	}
	p.command = append(p.command, program, "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "dynamic_shared_memory_type=mmap", "-c", "shared_buffers=16MB")
	p.ready = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), databaseWait)
		defer cancel()
		c, err := pgconn.Connect(ctx, p.url)
		if err != nil {
			return err
		}
		return c.Close(ctx)
	}
	return p.begin(tb)
}

// StartRedis starts a Redis that keeps nothing over its end.
func StartRedis(tb testing.TB) *Private {
	tb.Helper()
	address := Port(tb)
	_, port, _ := net.SplitHostPort(address)
	p := &Private{url: "redis://" + address}
	p.command = []string{"redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", MemoryDir(tb)}
	p.ready = func() error {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = io.WriteString(c, "PING\r\n")
		pong := make([]byte, len("+PONG"))
		if _, failed := io.ReadFull(c, pong); err != nil || failed != nil || string(pong) != "+PONG" {
			return fmt.Errorf("PING is answered %q: %w", pong, errors.Join(err, failed))
		}
		return nil
	}
	return p.begin(tb)
}

// StartS3 starts an S3-compatible server with one bucket, which it keeps over its end. It does not sync: it proves no durability.
func StartS3(tb testing.TB) (*Private, Bucket) {
	tb.Helper()
	program := ServerURL(tb, s3ProgramEnv, "an S3-compatible server")
	const key, secret = "key", "secret"
	address := Port(tb)
	b := Bucket{Endpoint: "http://" + address, Name: "bucket", Key: key, Secret: secret, Region: "us-east-1"}
	p := &Private{url: "http://" + key + ":" + secret + "@" + address}
	p.folder = MemoryDir(tb)
	p.command = []string{program, "--quiet", "--port", address, "posix", "--sidecar", MemoryDir(tb), p.folder}
	p.env = []string{"ROOT_ACCESS_KEY=" + key, "ROOT_SECRET_KEY=" + secret}
	p.ready = func() error {
		refused, err := http.Get(b.Endpoint) // nobody has signed it
		if err != nil {
			return err
		}
		return refused.Body.Close()
	}
	if err := os.Mkdir(filepath.Join(p.folder, b.Name), 0o700); err != nil {
		tb.Fatalf("make a bucket: %v", err)
	}
	return p.begin(tb), b
}

// URL is the address, of the database "postgres" for PostgreSQL; it stays when the server comes again.
func (p *Private) URL() string { return p.url }

// Folder is where an S3-compatible server keeps its buckets: each is a folder there, and each object a file in it by its key, whose time
// is the object's. What a test changes there is served changed.
func (p *Private) Folder() string { return p.folder }

// Start has a server that was killed or stopped serve again.
func (p *Private) Start(tb testing.TB) {
	tb.Helper()
	cmd, exited := exec.Command(p.command[0], p.command[1:]...), make(chan struct{})
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = &p.said, &p.said
	cmd.WaitDelay = stopWait // others of its processes may have its output
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // how it ends is the test's doing
		close(exited)
	}()
	p.cmd, p.exited = cmd, exited
	var err error
	ready := Poll(startWait, func() bool {
		err = p.ready()
		return err == nil || !p.running()
	})
	if !ready || err != nil {
		tb.Fatalf("the server does not serve: %v\n%s", err, p.said.String())
	}
}

// Kill ends it at once, as the loss of its machine would: PostgreSQL's other processes end with the first.
func (p *Private) Kill(tb testing.TB) { p.end(tb, syscall.SIGKILL) }

// Stop ends it in order: connections are cut, and what is under way is not committed.
func (p *Private) Stop(tb testing.TB) { p.end(tb, syscall.SIGINT) }

// Pause has its first process, the one that takes connections, stand still until Resume. With Redis nothing is answered meanwhile; of
// PostgreSQL's connections those that are there go on.
func (p *Private) Pause(tb testing.TB) { p.signal(tb, syscall.SIGSTOP) }

// Resume ends a pause.
func (p *Private) Resume(tb testing.TB) { p.signal(tb, syscall.SIGCONT) }

func (p *Private) begin(tb testing.TB) *Private {
	tb.Helper()
	Need(tb, p.command[0])
	tb.Cleanup(func() {
		if p.cmd != nil && p.running() {
			_ = p.cmd.Process.Signal(syscall.SIGCONT)
			p.end(tb, syscall.SIGQUIT)
		}
	})
	p.Start(tb)
	return p
}

func (p *Private) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

func (p *Private) signal(tb testing.TB, s syscall.Signal) {
	tb.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		tb.Errorf("signal %v to the server: %v", s, err)
	}
}

func (p *Private) end(tb testing.TB, s syscall.Signal) {
	tb.Helper()
	p.signal(tb, s)
	<-p.exited
}

// said keeps what a server prints.
type said struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}
