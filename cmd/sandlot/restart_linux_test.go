package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// longestWait is the most that a request may wait while the service is restarted.
const longestWait = 2 * time.Second

// TestARestartRefusesNobody: the short form of TestSoakTwentyRestartsRefuseNobody.
func TestARestartRefusesNobody(t *testing.T) {
	t.Parallel()
	restarted(t, 2, "200ms", 4<<20, 10*time.Second) // the machine is busy with other tests, and only a fault takes so long
}

// TestSoakTwentyRestartsRefuseNobody: 200 requests a second, uploads at 6 KB/s and uploads of 100 MB over a socket that systemd holds. No
// connection is refused or reset, no request waits for two seconds, and each upload that is cut is answered.
func TestSoakTwentyRestartsRefuseNobody(t *testing.T) {
	testenv.Unraced(t)
	restarted(t, 20, "5s", 100<<20, longestWait)
}

// A load is what clients do beside the restarts.
type load struct {
	addr string
	key  string
	id   string
	stop chan struct{}

	mu       sync.Mutex
	answers  map[string]int // by kind and status
	faults   []string
	longest  time.Duration
	finished sync.WaitGroup
}

func restarted(t *testing.T, times int, grace string, large int, most time.Duration) {
	u := testenv.Supervise(t, testenv.Unit{ExecStart: serveUnit(t, "--stop-grace", grace, "--access-log", "errors"), Sockets: map[string]string{"http": "127.0.0.1:0"}})
	u.Start(t)
	l := &load{addr: u.Addr("http"), stop: make(chan struct{}), answers: map[string]int{}}
	l.begin(t)
	l.loop(200, 5*time.Millisecond, func() { l.probe("GET", "", nil) })
	l.loop(4, 250*time.Millisecond, func() { l.probe("POST", "/v1/signup", []byte("{}")) })
	l.loop(2, 0, func() { l.upload("slow", 200<<10, 600, 100*time.Millisecond) })
	l.loop(1, 0, func() { l.upload("large", large, 256<<10, 5*time.Millisecond) })
	for range times {
		l.settle(t)
		u.Restart(t)
	}
	close(l.stop)
	l.finished.Wait()
	t.Logf("%d restarts: the longest wait %v; answers %v", times, l.longest, l.answers)
	for _, fault := range l.faults {
		t.Error(fault)
	}
	if l.longest > most {
		t.Errorf("a request waited for %v", l.longest)
	}
	if l.answers["slow 503"] == 0 {
		t.Error("no slow upload was cut")
	}
}

// begin publishes the page that is read.
func (l *load) begin(t *testing.T) {
	t.Helper()
	resp, err := http.Post("http://"+l.addr+"/v1/publish", "application/json", strings.NewReader(`{"text":"<h1>hi</h1>","email":"me@example.com"}`))
	expect.OK(t, err)
	defer resp.Body.Close()
	var made struct {
		ID  string `json:"project_id"`
		Key string `json:"api_key"`
	}
	expect.OK(t, json.NewDecoder(resp.Body).Decode(&made))
	l.id, l.key = made.ID, made.Key
}

// loop does something again and again in n goroutines, which begin one after another, until the load stops.
func (l *load) loop(n int, every time.Duration, do func()) {
	for i := range n {
		l.finished.Go(func() {
			tick := time.NewTimer(time.Duration(i) * every)
			for {
				select {
				case <-l.stop:
					return
				case <-tick.C:
				}
				do()
				tick.Reset(time.Duration(n) * every)
			}
		})
	}
}

// settle waits until slow uploads are under way again.
func (l *load) settle(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	before := l.answers["GET 200"]
	l.mu.Unlock()
	testenv.Eventually(t, time.Minute, "the load goes on", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.answers["GET 200"] > before+100
	})
}

func (l *load) record(kind string, status int, err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.longest = max(l.longest, took); err != nil {
		l.faults = append(l.faults, fmt.Sprintf("%s: %v", kind, err))
		return
	}
	l.answers[fmt.Sprintf("%s %d", kind, status)]++
}

// probe sends one request on a connection of its own: a GET of the page, or a POST.
func (l *load) probe(method, path string, body []byte) {
	begun := time.Now()
	status, err := func() (int, error) {
		host := "localhost"
		if path == "" {
			host, path = l.id+".localhost", "/"
		}
		c, err := net.Dial("tcp", l.addr)
		if err != nil {
			return 0, err
		}
		defer c.Close()
		_ = c.SetDeadline(begun.Add(time.Minute)) // fails as the write will
		if _, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, host, len(body), body); err != nil {
			return 0, err
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err == nil && resp.StatusCode >= 400 {
			err = errors.New(resp.Status)
		}
		return resp.StatusCode, err
	}()
	l.record(method, status, err, time.Since(begun))
}

// upload sends so many bytes in pieces, and stops at an answer, as clients do.
func (l *load) upload(kind string, size, piece int, every time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := net.Dial("tcp", l.addr)
	if err != nil {
		l.record(kind, 0, err, 0)
		return
	}
	defer c.Close()
	answered := make(chan error, 1)
	status := 0
	go func() {
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil {
			status = resp.StatusCode
			_, err = io.Copy(io.Discard, resp.Body)
			if status == 503 && resp.Header.Get("Retry-After") != "2" {
				err = fmt.Errorf("503 with %v", resp.Header)
			}
		}
		cancel()
		answered <- err
	}()
	head := "--x\r\nContent-Disposition: form-data; name=\"content\"; filename=\"index.html\"\r\n\r\n<p>"
	tail := "\r\n--x--\r\n"
	_, err = fmt.Fprintf(c, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n\r\n%s", l.key, len(head)+size-3+len(tail), head)
	bytesOf := bytes.Repeat([]byte("x"), piece)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for left := size - 3; err == nil && left > 0 && ctx.Err() == nil; {
		n, failed := c.Write(bytesOf[:min(piece, left)])
		left, err = left-n, failed
		select {
		case <-tick.C:
		case <-ctx.Done():
		case <-l.stop:
			return // nobody waits for the rest
		}
	}
	if err == nil && ctx.Err() == nil {
		_, err = io.WriteString(c, tail)
	}
	if err != nil && errors.Is(err, syscall.EPIPE) {
		err = fmt.Errorf("the connection ended before an answer was read: %w", err)
	}
	got := <-answered
	if got == nil && status != 201 && status != 503 {
		got = fmt.Errorf("status %d", status)
	}
	l.record(kind, status, errors.Join(err, got), 0)
}
