package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	h2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// encrypted starts a server that ends TLS, and returns it with a function that opens connections of a protocol.
func encrypted(t *testing.T, flags ...string) (s *testenv.Server, begin func(protocol string) *tls.Conn) {
	t.Helper()
	dir := t.TempDir()
	certificate, key := certificateFiles(time.Now().Add(time.Hour), "localhost", "*.localhost")
	files := []string{filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")}
	expect.OK(t, os.WriteFile(files[0], []byte(certificate), 0o600))
	expect.OK(t, os.WriteFile(files[1], []byte(key), 0o600))
	s = testenv.Start(t, testenv.Binary(t), append(flags, "--base-url", "https://localhost", "--http-listen", "none",
		"--tls", "files", "--tls-cert", files[0], "--tls-key", files[1])...)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	begin = func(protocol string) *tls.Conn {
		c, err := tls.Dial("tcp", s.Addr(), &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{protocol}})
		expect.OK(t, err)
		t.Cleanup(func() { c.Close() })
		expect.OK(t, c.SetDeadline(time.Now().Add(time.Minute)))
		return c
	}
	return s, begin
}

// TestSoakABodyThatStallsIsCutOverTLS: with its connection of HTTP/1.1, and as a stream of HTTP/2, whose connection goes on.
func TestSoakABodyThatStallsIsCutOverTLS(t *testing.T) {
	t.Parallel()
	_, begin := encrypted(t)
	one, two := begin("http/1.1"), newFramed(t, begin("h2"))
	began := time.Now()
	_, err := fmt.Fprint(one, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"content\":\"PGgx")
	expect.OK(t, err)
	two.begin(t)
	text, err := io.ReadAll(one)
	expect.OK(t, err)
	expect.Equal(t, "what comes by HTTP/1.1", string(text), "")
	two.reset(t, 1)
	if took := time.Since(began); took < bodyWait || took > 3*bodyWait {
		t.Errorf("they were cut after %v", took)
	}
	expect.Equal(t, "another stream", string(two.get(t, "/healthz")), "ok\n")
}

// TestABodyThatIsNotWholeAtTheStopIsRefusedOverTLS, by HTTP/1.1 and by HTTP/2, on connections that go on taking bytes.
func TestABodyThatIsNotWholeAtTheStopIsRefusedOverTLS(t *testing.T) {
	t.Parallel()
	s, begin := encrypted(t, "--stop-grace", "100ms")
	one, two := begin("http/1.1"), newFramed(t, begin("h2"))
	_, err := fmt.Fprint(one, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"content\":\"PGgx")
	expect.OK(t, err)
	two.begin(t)
	watch := newFramed(t, begin("h2"))
	eventually(t, "the requests began", func() bool {
		return bytes.Contains(watch.get(t, "/metrics"), []byte("sandlot_http_requests_in_flight 3\n"))
	})
	expect.OK(t, watch.Close())
	stopped := make(chan int)
	go func() { stopped <- s.Stop(t) }()
	t.Run("HTTP/1.1", func(t *testing.T) {
		resp, err := http.ReadResponse(bufio.NewReader(one), nil)
		expect.OK(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		expect.OK(t, err)
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "2" || !resp.Close {
			t.Errorf("%d with %v", resp.StatusCode, resp.Header)
		}
		takesMore(t, one, bytes.Repeat([]byte("x"), 1000))
	})
	t.Run("HTTP/2", func(t *testing.T) {
		fields := two.answer(t)
		if fields[":status"] != "503" || fields["retry-after"] != "2" {
			t.Errorf("%v", fields)
		}
		_, err := io.Copy(io.Discard, two.Conn) // until the server has ended its side
		expect.OK(t, err)
		var frame bytes.Buffer
		expect.OK(t, h2.NewFramer(&frame, nil).WriteData(1, false, make([]byte, 1000)))
		takesMore(t, two.Conn, frame.Bytes())
	})
	expect.Equal(t, "exit code", <-stopped, 0)
}

// takesMore fails the test unless a connection takes ten pieces more, and then ends without a reset.
func takesMore(t *testing.T, c *tls.Conn, piece []byte) {
	t.Helper()
	for range 10 {
		_, err := c.Write(piece)
		expect.OK(t, err, "what comes after the answer")
	}
	raw := c.NetConn().(*net.TCPConn)
	expect.OK(t, raw.CloseWrite())
	_, err := io.Copy(io.Discard, raw)
	expect.OK(t, err, "the end of the connection")
}

// A framed is a connection of HTTP/2 whose client decides on each frame.
type framed struct {
	*tls.Conn
	*h2.Framer
	next uint32 // the next stream
}

func newFramed(t *testing.T, c *tls.Conn) *framed {
	t.Helper()
	_, err := io.WriteString(c, h2.ClientPreface)
	expect.OK(t, err)
	f := &framed{c, h2.NewFramer(c, c), 1}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	// Room for all answers: the numbers of /metrics have more than the 64 KiB of a window.
	expect.OK(t, f.WriteSettings(h2.Setting{ID: h2.SettingInitialWindowSize, Val: 1 << 30}))
	expect.OK(t, f.WriteWindowUpdate(0, 1<<30))
	return f
}

// request begins a request.
func (f *framed) request(t *testing.T, method, path string, last bool) {
	t.Helper()
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	for _, field := range [][2]string{{":method", method}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}, {"content-type", "application/json"}} {
		expect.OK(t, e.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	expect.OK(t, f.WriteHeaders(h2.HeadersFrameParam{StreamID: f.next, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: last}))
	f.next += 2
}

// begin begins a publish, with a body that is not whole.
func (f *framed) begin(t *testing.T) {
	t.Helper()
	f.request(t, "POST", "/v1/publish", false)
	expect.OK(t, f.WriteData(f.next-2, false, []byte(`{"content":"PGgx`)))
}

// answer reads to the end of an answer, and returns its fields; its body is "body".
func (f *framed) answer(t *testing.T) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for {
		frame, err := f.ReadFrame()
		expect.OK(t, err)
		switch frame := frame.(type) {
		case *h2.MetaHeadersFrame:
			for _, field := range frame.Fields {
				fields[field.Name] = field.Value
			}
		case *h2.DataFrame:
			fields["body"] += string(frame.Data())
			if frame.StreamEnded() {
				return fields
			}
		case *h2.RSTStreamFrame:
			t.Fatal("the stream is reset: ", frame.ErrCode)
		}
	}
}

// reset reads until the server resets a stream, without an answer.
func (f *framed) reset(t *testing.T, stream uint32) {
	t.Helper()
	for {
		frame, err := f.ReadFrame()
		expect.OK(t, err)
		switch frame := frame.(type) {
		case *h2.MetaHeadersFrame:
			t.Fatal("the stream is answered: ", frame.Fields)
		case *h2.RSTStreamFrame:
			expect.Equal(t, "the stream that is reset", frame.StreamID, stream)
			return
		}
	}
}

func (f *framed) get(t *testing.T, path string) []byte {
	t.Helper()
	f.request(t, "GET", path, true)
	return []byte(f.answer(t)["body"])
}
