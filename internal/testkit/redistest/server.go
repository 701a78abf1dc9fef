// Package redistest gives tests a Redis server that they may stop, kill and fill with anything, and slow connections to
// it. Only tests import it.
package redistest

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"sandlot/internal/testkit/testenv"
)

// startWait is for a machine that is busy with other things.
const startWait = 30 * time.Second

// Server is a redis-server of one test, on a port of its own. It ends with the test.
type Server struct {
	address string
	dir     string
	cmd     *exec.Cmd
	output  *bytes.Buffer
}

// Start returns a server that answers.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := Reserve(tb)
	s.Start(tb)
	return s
}

// Reserve returns a server that has not been started yet. Its address refuses connections.
func Reserve(tb testing.TB) *Server {
	tb.Helper()
	testenv.Need(tb, "redis-server")
	s := &Server{address: testenv.Port(tb), dir: tb.TempDir()}
	tb.Cleanup(s.Kill)
	return s
}

// Start starts a server that is not running, with nothing in it.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		tb.Fatal(err)
	}
	s.output = &bytes.Buffer{}
	s.cmd = exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", s.dir)
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	if err := s.cmd.Start(); err != nil {
		tb.Fatalf("start redis-server: %v", err)
	}
	if !testenv.Poll(startWait, s.answers) {
		s.Kill()
		tb.Fatalf("redis-server does not answer:\n%s", s.output)
	}
}

func (s *Server) answers() bool {
	conn, err := net.DialTimeout("tcp", s.address, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(time.Second)) != nil {
		return false
	}
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	answer := make([]byte, len("+PONG"))
	_, err = conn.Read(answer)
	return err == nil && string(answer) == "+PONG"
}

// Kill ends the server, with all that is in it.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	// The only error is that it has just ended by itself.
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Pause stops the server: it takes connections, and answers nothing.
func (s *Server) Pause(tb testing.TB) { s.signal(tb, syscall.SIGSTOP) }

// Resume lets it continue with the commands that came meanwhile.
func (s *Server) Resume(tb testing.TB) { s.signal(tb, syscall.SIGCONT) }

func (s *Server) signal(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		tb.Fatal(err)
	}
}

// Address returns the address on which the server listens.
func (s *Server) Address() string { return s.address }

// URL returns the URL of the server.
func (s *Server) URL() string { return "redis://" + s.address }

// Do sends the server a command, and returns its answer.
func (s *Server) Do(tb testing.TB, command ...any) any {
	tb.Helper()
	return Do(tb, s.URL(), command...)
}

// Do sends the server at a URL a command, and returns its answer; nil for nil.
func Do(tb testing.TB, url string, command ...any) any {
	tb.Helper()
	options, err := goredis.ParseURL(url)
	if err != nil {
		tb.Fatal(err)
	}
	options.Protocol, options.MaintNotificationsConfig = 2, &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	c := goredis.NewClient(options)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	answer, err := c.Do(ctx, command...).Result()
	if err != nil && err != goredis.Nil {
		tb.Fatalf("%q: %v", command, err)
	}
	return answer
}
