package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestStop: while a request is under way the server goes on accepting, each answer ends its connection, and readiness is red; then the exit
// code is 0.
func TestStop(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--stop-grace", "1m")
	kept := keep(t, s.Addr(), "localhost")
	body := `{"content":"PGgxPmhpPC9oMT4=","email":"me@example.com"}`
	conn := beginPublish(t, s, "", len(body), body[:20])
	awaitInFlight(t, s)
	stopped := make(chan int)
	go func() { stopped <- s.Stop(t) }()
	awaitRed(t, s.Addr())
	t.Run("a new connection is answered, and ends", func(t *testing.T) {
		resp := get(t, keepNone(t, s.Addr()), "localhost", "/healthz")
		if resp.StatusCode != 200 || !resp.Close {
			t.Errorf("%d with %v", resp.StatusCode, resp.Header)
		}
	})
	t.Run("a kept connection is answered, and ends", func(t *testing.T) {
		resp := get(t, kept, "localhost", "/v1")
		if resp.StatusCode != 200 || !resp.Close {
			t.Errorf("%d with %v", resp.StatusCode, resp.Header)
		}
	})
	t.Run("the front's answers end connections, too", func(t *testing.T) {
		resp := get(t, keepNone(t, s.Addr()), "nobody-000000.localhost", "/")
		if resp.StatusCode != 404 || !resp.Close {
			t.Errorf("%d with %v", resp.StatusCode, resp.Header)
		}
	})
	if _, err := io.WriteString(conn, body[20:]); err != nil {
		t.Fatalf("the request under way was cut: %v", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.OK(t, err, "the request under way got no answer")
	expect.Equal(t, "the request under way", resp.StatusCode, http.StatusCreated)
	expect.Equal(t, "its connection ends", resp.Close, true)
	expect.Equal(t, "exit code", <-stopped, 0)
}

// A kept is a connection with its reader.
type kept struct {
	net.Conn
	in *bufio.Reader
}

// keep returns a connection that has had an answer.
func keep(t *testing.T, addr, host string) kept {
	t.Helper()
	k := keepNone(t, addr)
	if resp := get(t, k, host, "/healthz"); resp.Close {
		t.Fatal("the connection ends")
	}
	return k
}

func keepNone(t *testing.T, addr string) kept {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	expect.OK(t, err)
	t.Cleanup(func() { c.Close() })
	expect.OK(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return kept{c, bufio.NewReader(c)}
}

// get sends a request on a connection and returns the answer without its body.
func get(t *testing.T, k kept, host, path string) *http.Response {
	t.Helper()
	_, err := fmt.Fprintf(k, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host)
	expect.OK(t, err)
	resp, err := http.ReadResponse(k.in, nil)
	expect.OK(t, err, "no answer")
	_, err = io.Copy(io.Discard, resp.Body)
	expect.OK(t, err)
	return resp
}

// awaitInFlight returns when the server has begun to read a body: its metrics count the request beside their own.
func awaitInFlight(t *testing.T, s *testenv.Server) {
	t.Helper()
	eventually(t, "the request began", func() bool {
		_, body := raw(t, s.Addr(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		return strings.Contains(body, "sandlot_http_requests_in_flight 2")
	})
}

// awaitRed returns when the server's readiness is red.
func awaitRed(t *testing.T, addr string) {
	t.Helper()
	eventually(t, "the server is red", func() bool {
		resp, body := raw(t, addr, "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		return resp.StatusCode == 503 && body == "draining\n"
	})
}

// TestABodyThatIsNotWholeAtTheStopIsRefused with 503 and when to come back, on a connection that goes on taking bytes.
func TestABodyThatIsNotWholeAtTheStopIsRefused(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--stop-grace", "100ms")
	begin := func(headers, begin string) kept {
		k := keepNone(t, s.Addr())
		_, err := fmt.Fprintf(k, "POST %s\r\nHost: localhost\r\n%s", headers, begin)
		expect.OK(t, err)
		return k
	}
	bodies := map[string]kept{
		"a publish":  begin("/v1/publish HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 1000000", "\r\n"+`{"content":"PGgx`),
		"in chunks":  begin("/v1/publish HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked", "\r\nffff\r\n"+`{"content":"PGgx`),
		"an archive": begin("/v1/publish HTTP/1.1\r\nContent-Type: application/zip\r\nContent-Length: 1000000", "\r\nPK"),
		"a form of the website": begin("/new HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000",
			"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.html\"\r\n\r\n<h1>"),
		"a small form": begin("/login HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000", "\r\nemail=k"),
	}
	eventually(t, "the requests began", func() bool {
		_, body := raw(t, s.Addr(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		return strings.Contains(body, fmt.Sprintf("sandlot_http_requests_in_flight %d", len(bodies)+1))
	})
	stopped := make(chan int)
	go func() { stopped <- s.Stop(t) }()
	for name, k := range bodies {
		resp, err := http.ReadResponse(k.in, nil)
		expect.OK(t, err, name)
		text, err := io.ReadAll(resp.Body)
		expect.OK(t, err, name)
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "2" || !resp.Close {
			t.Errorf("%s: %d with %v: %s", name, resp.StatusCode, resp.Header, text)
		}
		if api := strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json"); api && !strings.Contains(string(text), "The service is being restarted") {
			t.Errorf("%s: %s", name, text)
		}
		_, err = io.WriteString(k, strings.Repeat("x", 10_000))
		expect.OK(t, err, name, "what comes after the answer")
		expect.OK(t, k.Conn.(*net.TCPConn).CloseWrite())
		if n, err := k.in.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%s ends with %v", name, err)
		}
	}
	expect.Equal(t, "exit code", <-stopped, 0)
}

// TestPartsThatWereWholeAtTheStopStay: after the restart the part that was cut is sent again, alone.
func TestPartsThatWereWholeAtTheStopStay(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--stop-grace", "100ms")
	key := signUp(t, s)
	part := func(n int, content []byte) map[string]any {
		return map[string]any{"upload_id": "an-upload-with-a-restart", "part": n, "total_parts": 2, "content": content}
	}
	first, second := page(100_001), page(100_002)
	status, answer := call(t, s, "POST", "/v1/publish", key, part(1, first))
	expect.Equal(t, fmt.Sprint("the first part: ", answer), status, http.StatusAccepted)
	text, err := json.Marshal(part(2, second))
	expect.OK(t, err)
	cut := beginPublish(t, s, "Authorization: Bearer "+key+"\r\n", len(text), string(text[:len(text)-3]))
	eventually(t, "the second part began", func() bool {
		_, body := raw(t, s.Addr(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		return strings.Contains(body, "sandlot_http_requests_in_flight 2")
	})
	stopped := make(chan int)
	go func() { stopped <- s.Stop(t) }()
	resp, err := http.ReadResponse(bufio.NewReader(cut), nil)
	expect.OK(t, err)
	expect.Equal(t, "the part that is cut", resp.StatusCode, http.StatusServiceUnavailable)
	expect.OK(t, cut.Close())
	expect.Equal(t, "exit code", <-stopped, 0)
	s.Restart(t)
	status, made := call(t, s, "POST", "/v1/publish", key, part(2, second))
	expect.Equal(t, "the second part alone", status, http.StatusCreated)
	address, _ := made["url"].(string)
	sees(t, s, address, http.StatusOK, slices.Concat(first, second))
}

// TestDrainDelay: for that time the server serves as before, but for its readiness and for connections, of which each answer is the last.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--drain-delay", "2s")
	direct, passed := keep(t, s.Addr(), "localhost"), keep(t, s.Addr(), "localhost")
	begun := time.Now()
	stopped := make(chan int)
	go func() { stopped <- s.Stop(t) }()
	awaitRed(t, s.Addr())
	expect.Equal(t, "a kept connection", get(t, direct, "localhost", "/healthz").Close, true)
	code, took := <-stopped, time.Since(begun)
	if code != 0 || took < 2*time.Second {
		t.Errorf("it ended with %d after %v", code, took)
	}
	if n, err := passed.in.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a connection that waits ends with %v", err)
	}
}

// TestAStreamOfEventsEndsAtOnceAtTheStop, with a short time for the browser to come back; so does a stream that begins while the server stops.
func TestAStreamOfEventsEndsAtOnceAtTheStop(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--drain-delay", "1m")
	id := publishOne(t, s, signUp(t, s), 10).id
	open := func() kept {
		k := keepNone(t, s.Addr())
		_, err := fmt.Fprintf(k, "GET /p/%s/live HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", id)
		expect.OK(t, err)
		return k
	}
	ends := func(k kept) {
		resp, err := http.ReadResponse(k.in, nil)
		expect.OK(t, err)
		text, err := io.ReadAll(resp.Body)
		expect.OK(t, err)
		last := string(text[strings.LastIndex(string(text), "retry: "):])
		var ms int
		if _, err := fmt.Sscanf(last, "retry: %d\n\n", &ms); err != nil || ms < 100 || ms > 2000 {
			t.Errorf("it ends with %q", text)
		}
	}
	before := open()
	_, err := before.in.Peek(1)
	expect.OK(t, err)
	expect.OK(t, syscall.Kill(s.PID(), syscall.SIGTERM))
	ends(before)
	awaitRed(t, s.Addr())
	ends(open())
}

// TestASecondSignalEndsAtOnce also while a request is under way.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--stop-grace", "10m")
	beginPublish(t, s, "", 100, "{")
	awaitInFlight(t, s)
	begun := time.Now()
	expect.OK(t, syscall.Kill(s.PID(), syscall.SIGTERM))
	awaitRed(t, s.Addr())
	s.Stop(t)
	if took := time.Since(begun); took > time.Minute/2 {
		t.Errorf("it took %v", took)
	}
}
