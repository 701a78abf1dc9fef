package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestStop: readiness goes off, what is under way finishes, the exit code is 0.
func TestStop(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	body := `{"content":"PGgxPmhpPC9oMT4=","email":"me@example.com"}`
	conn := beginPublish(t, s, "", len(body), body[:20])
	awaitInFlight(t, s)
	stopped := make(chan int)
	go func() { stopped <- s.Stop(t) }()
	awaitRefused(t, s.Addr())
	if _, err := io.WriteString(conn, body[20:]); err != nil {
		t.Fatalf("the request under way was cut: %v", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.OK(t, err, "the request under way got no answer")
	expect.Equal(t, "the request under way", resp.StatusCode, http.StatusCreated)
	expect.Equal(t, "exit code", <-stopped, 0)
}

// awaitInFlight returns when the server has begun to read a body: its metrics count the request beside their own.
func awaitInFlight(t *testing.T, s *testenv.Server) {
	t.Helper()
	eventually(t, "the request began", func() bool {
		_, body := raw(t, s.Addr(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		return strings.Contains(body, "sandlot_http_requests_in_flight 2")
	})
}

// awaitRefused returns when the server takes no new connections.
func awaitRefused(t *testing.T, addr string) {
	t.Helper()
	eventually(t, "the server takes no connections", func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

// TestASecondSignalEndsAtOnce also while a request is under way.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	beginPublish(t, s, "", 100, "{")
	awaitInFlight(t, s)
	begun := time.Now()
	expect.OK(t, syscall.Kill(s.PID(), syscall.SIGTERM))
	awaitRefused(t, s.Addr())
	s.Stop(t)
	if took := time.Since(begun); took > grace/2 {
		t.Errorf("it took %v", took)
	}
}
