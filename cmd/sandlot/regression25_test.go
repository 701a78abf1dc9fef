package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// send opens a connection, writes text to it, and reads up to n bytes of an answer.
func send(t *testing.T, s *testenv.Server, text string, n int64) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	expect.OK(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = io.WriteString(c, text)
	expect.OK(t, err)
	_, err = io.CopyN(io.Discard, c, n)
	expect.OK(t, err)
	return c
}

// loggedAs waits until the log has a request with a status, and the metrics count as many.
func loggedAs(t *testing.T, s *testenv.Server, path, area string, status int) {
	t.Helper()
	line := regexp.MustCompile(fmt.Sprintf(`msg=request .*area=%s .*path=%s status=%d took_ms=[0-9.e+]+ `, area, regexp.QuoteMeta(path), status))
	eventually(t, fmt.Sprintf("%s is logged with %d", path, status), func() bool { return line.MatchString(s.Logs()) })
	resp, err := s.Client().Get(s.URL() + "/metrics")
	expect.OK(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	if !regexp.MustCompile(fmt.Sprintf(`(?m)^sandlot_http_requests_total\{area="%s",method="[A-Z]+",status="%d"\} [1-9]`, area, status)).Match(text) {
		t.Errorf("%s with %d is not counted", area, status)
	}
}

// TestRegression25ABodyThatWasCutIsNot200 leaves, or stalls, in the middle of bodies.
func TestRegression25ABodyThatWasCutIsNot200(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	const begun = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{\"content\": \""
	t.Run("an upload that its client leaves is 499", func(t *testing.T) {
		t.Parallel()
		send(t, s, fmt.Sprintf(begun, "/v1/publish")+strings.Repeat("A", 1000), 0).Close()
		loggedAs(t, s, "/v1/publish", "api", 499)
	})
	t.Run("an upload that stalls is 408", func(t *testing.T) {
		t.Parallel()
		send(t, s, fmt.Sprintf(begun, "/v1/signup")+strings.Repeat("A", 1000), 0)
		loggedAs(t, s, "/v1/signup", "api", 408)
	})
	t.Run("an answer that its client leaves is 499", func(t *testing.T) {
		t.Parallel()
		large := make([]byte, 20<<20)
		rand.Read(large)
		status, answer := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": []byte("<p>"), "email": "kim@example.com"})
		if status != http.StatusCreated {
			t.Fatalf("publish: %d %v", status, answer)
		}
		key, id := answer["api_key"].(string), answer["project_id"].(string)
		if status, answer = call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "a.bin", "content": large}); status != http.StatusOK {
			t.Fatalf("update: %d %v", status, answer)
		}
		send(t, s, "GET /a.bin HTTP/1.1\r\nHost: "+id+".localhost\r\n\r\n", 1000).Close()
		loggedAs(t, s, "/a.bin", "play", 499)
		send(t, s, "GET /~/"+id+"/a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000).Close()
		loggedAs(t, s, "/~/"+id+"/a.bin", "play", 499)
		send(t, s, "GET /v1/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+key+"\r\n\r\n", 1000).Close()
		loggedAs(t, s, "/v1/export", "api", 499)
	})
	t.Run("what came and went whole keeps its status", func(t *testing.T) {
		t.Parallel()
		status, _ := call(t, s, "POST", "/v1/update", "", map[string]any{})
		if status != http.StatusUnauthorized {
			t.Fatal(status)
		}
		loggedAs(t, s, "/v1/update", "api", 401)
	})
}

func TestRegression25TheStatusOfACutBody(t *testing.T) {
	reset := &net.OpError{Op: "write", Err: syscall.ECONNRESET}
	slow := fmt.Errorf("write: %w", os.ErrDeadlineExceeded)
	for name, c := range map[string]struct {
		read, wrote error
		status      int
		aborted     bool
		gone        bool
		want        int
	}{
		"whole":                                   {status: 200, want: 200},
		"an answer that the client left":          {wrote: reset, status: 200, want: 499},
		"an answer to a client that is too slow":  {wrote: slow, status: 200, want: 408},
		"an answer that the service broke off":    {status: 200, aborted: true, want: 500},
		"one that ended because the client left":  {status: 200, aborted: true, gone: true, want: 499},
		"an upload that the client left":          {read: io.ErrUnexpectedEOF, status: 400, want: 499},
		"an upload of a client that is too slow":  {read: slow, status: 400, want: 408},
		"an upload of a client that was cut off":  {read: reset, status: 200, want: 499},
		"a body that is not framed as HTTP asks":  {read: errors.New("malformed chunked encoding"), status: 400, want: 400},
		"a body behind a refusal that nobody has": {status: 413, want: 413},
	} {
		t.Run(name, func(t *testing.T) {
			rec := &recorder{ResponseWriter: httptest.NewRecorder(), body: &pacedBody{}}
			rec.body.answered = func() bool { return rec.status != 0 }
			rec.body.fail(c.read)
			rec.status = c.status
			rec.body.fail(io.ErrUnexpectedEOF) // too late: the answer has begun
			rec.lost(c.wrote)
			if got := rec.outcome(c.gone, c.aborted); got != c.want {
				t.Errorf("%d and not %d", got, c.want)
			}
		})
	}
	t.Run("a stream of events has no end", func(t *testing.T) {
		rec := &recorder{ResponseWriter: httptest.NewRecorder(), status: 200}
		rec.Header().Set("Content-Type", "text/event-stream")
		rec.lost(reset)
		if got := rec.outcome(true, true); got != 200 {
			t.Error(got)
		}
	})
}

// TestRegression25DurationsTellTheirUnit reads the log and the metrics of a program that
// has done some of everything.
func TestRegression25DurationsTellTheirUnit(t *testing.T) {
	var out bytes.Buffer
	for _, format := range []string{"text", "json"} {
		log := newLogger(&out, format, "info")
		handlerOf(log).request(log, &requestLine{id: "a", area: "api", method: "GET", host: "h", path: "/ a", took: 1500})
		handlerOf(log).request(log, &requestLine{id: "a", area: "api", method: "GET", host: "h", path: "/a", took: 1500})
		flushLog(log)
	}
	if n := strings.Count(out.String(), "took_ms=0.001 ") + strings.Count(out.String(), `"took_ms":0.001,`); n != 4 {
		t.Errorf("%d of 4 lines tell milliseconds:\n%s", n, out.String())
	}
	families, err := newMetrics(true).registry.Gather()
	expect.OK(t, err)
	for _, f := range families {
		if f.GetType().String() == "HISTOGRAM" && !strings.HasSuffix(f.GetName(), "_seconds") && !strings.HasSuffix(f.GetName(), "_bytes") {
			t.Errorf("%s has no unit in its name", f.GetName())
		}
	}
}
