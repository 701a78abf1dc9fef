package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// conn is a plain client: bytes out, bytes in.
type conn struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func (w *world) dial() *conn {
	w.t.Helper()
	c, err := net.Dial("tcp", w.server.Listener.Addr().String())
	expect.OK(w.t, err)
	w.t.Cleanup(func() { c.Close() })
	// A test that waits longer has failed.
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &conn{c, w.t, bufio.NewReader(c)}
}

func (c *conn) write(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c, format, args...); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// answer reads one answer, and everything before it that is not final.
func (c *conn) answer() (*http.Response, string) {
	c.t.Helper()
	res, err := http.ReadResponse(c.r, nil)
	expect.OK(c.t, err, "read the answer")
	text, err := io.ReadAll(res.Body)
	expect.OK(c.t, err, "read the answer's body")
	return res, string(text)
}

func (c *conn) wants(status int, code sandlot.Code) *http.Response {
	c.t.Helper()
	res, text := c.answer()
	if res.StatusCode != status || !strings.Contains(text, `"error":"`+string(code)+`"`) {
		c.t.Fatalf("got %d %s, want %d %s", res.StatusCode, text, status, code)
	}
	return res
}

const headers = "POST /v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

func TestRefusedBeforeTheBody(t *testing.T) {
	t.Parallel()
	t.Run("row 31: 10 GB announced and not sent is refused at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.dial()
		c.write(headers+"Content-Length: 10000000000\r\n\r\n", "publish")
		if res := c.wants(413, sandlot.CodeContentTooLarge); !res.Close {
			t.Error("the connection is kept")
		}
	})
	t.Run("row 31: Expect gets the refusal and no 100", func(t *testing.T) {
		t.Parallel()
		for _, request := range []string{"publish HTTP/1.1\r\nContent-Length: 10000000000", "update HTTP/1.1\r\nContent-Length: 100"} {
			w := newWorld(t)
			c := w.dial()
			path, rest, _ := strings.Cut(request, " HTTP/1.1\r\n")
			c.write(headers+rest+"\r\nExpect: 100-continue\r\n\r\n", path)
			res, _ := c.answer()
			if res.StatusCode != 413 && res.StatusCode != 401 {
				t.Errorf("%s: got %d", path, res.StatusCode)
			}
			if _, err := c.r.ReadByte(); err != io.EOF {
				t.Errorf("%s: the connection is kept: %v", path, err)
			}
		}
	})
	t.Run("a client that is still sending sees the answer", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.dial()
		c.write(headers+"Content-Length: 12000000\r\n\r\n", "update")
		// Reads only once all is sent, as many clients do.
		c.write("%s", strings.Repeat("a", 12_000_000))
		if res := c.wants(401, sandlot.CodeKeyRequired); !res.Close {
			t.Error("the connection is kept")
		}
	})
	t.Run("no more than a bounded rest is read", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.dial()
		c.write(headers+"Transfer-Encoding: chunked\r\n\r\n", "update")
		c.wants(401, sandlot.CodeKeyRequired)
		chunk := "10000\r\n" + strings.Repeat("a", 0x10000) + "\r\n"
		sent := 0
		for sent < 200<<20 {
			n, err := io.WriteString(c, chunk)
			sent += n
			if err != nil {
				break
			}
		}
		if sent >= 200<<20 {
			t.Error("200 MB were taken after the refusal")
		}
	})
	t.Run("a client that stalls is let go", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.dial()
		c.write(headers+"Content-Length: 1000000\r\n\r\n{", "update")
		c.wants(401, sandlot.CodeKeyRequired)
		if _, err := c.r.ReadByte(); err == nil {
			t.Error("something follows the answer")
		}
	})
	t.Run("a small body does not cost the connection", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.dial()
		for range 3 {
			c.write(headers+"Content-Length: 5000\r\n\r\n%s", "update", strings.Repeat("a", 5000))
			c.wants(401, sandlot.CodeKeyRequired)
		}
		c.write("GET /v1/whoami HTTP/1.1\r\nHost: localhost\r\n\r\n")
		c.wants(401, sandlot.CodeKeyRequired)
	})
}

func TestRefusedInTheBody(t *testing.T) {
	t.Parallel()
	t.Run("row 32: an endless body is refused near the limit", func(t *testing.T) {
		t.Parallel()
		w := settled(t)
		w.unchanged(func() {
			c := w.dial()
			c.write(headers+"Authorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n", "publish", w.account)
			c.write("c\r\n{\"content\":\"\r\n")
			chunk := "10000\r\n" + strings.Repeat("QUJD", 0x4000) + "\r\n"
			for range 80 { // 5 MB: above the limit of this world, below what is thrown away
				c.write("%s", chunk)
			}
			c.wants(413, sandlot.CodeContentTooLarge)
		})
	})
	t.Run("row 33: a body shorter than announced is 400", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.dial()
		c.write(headers+"Content-Length: 100\r\n\r\n{\"handle\":", "signup")
		c.Conn.(*net.TCPConn).CloseWrite()
		c.wants(400, sandlot.CodeInvalidJSON)
	})
	t.Run("a client that goes away leaves nothing", func(t *testing.T) {
		t.Parallel()
		w := settled(t)
		w.unchanged(func() {
			c := w.dial()
			c.write(headers+"Authorization: Bearer %s\r\nContent-Length: 3000000\r\n\r\n{\"content\":\"%s", "publish", w.account, strings.Repeat("QUJD", 100_000))
			c.Conn.(*net.TCPConn).SetLinger(0) // a reset, not a clean end
			c.Close()
			w.server.Close() // waits for the handler
		})
	})
}
