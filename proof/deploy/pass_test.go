package deploy

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// stuck is how long a request may take that depends on a proxy that passes on what it has.
const stuck = 20 * time.Second

// An upstream stands in the place of Sandlot, and reports what reaches it.
type upstream struct {
	*front
	begun chan struct{} // the first bytes of a body have come
	rest  chan struct{} // the rest of an answer may be sent
	posts atomic.Int32
}

// TestAProxyPassesOnWhatItGets when it gets it, with nothing but the address of the client added.
func TestAProxyPassesOnWhatItGets(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			t.Parallel()
			u := &upstream{begun: make(chan struct{}), rest: make(chan struct{})}
			u.front = start(t, k, "one", "", u.listen(t, "127.0.0.1:0"))
			t.Run("Host and the address of the client, whatever the client said", u.headers)
			t.Run("a body as it comes", u.body)
			t.Run("an answer as it comes", u.answer)
			t.Run("a POST that broke off is not repeated", u.post)
			t.Run("other names are refused in the handshake", u.foreign)
			t.Run("plain HTTP leads to HTTPS", u.redirect)
		})
	}
}

// listen serves until the test ends.
func (u *upstream) listen(t *testing.T, addr string) string {
	l, err := net.Listen("tcp", addr)
	expect.OK(t, err)
	s := &http.Server{Handler: u}
	go func() { _ = s.Serve(l) }() // until it is closed
	t.Cleanup(func() { s.Close() })
	return l.Addr().String()
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/headers":
		fmt.Fprintf(w, "%s %s", r.Host, strings.Join(r.Header.Values("X-Forwarded-For"), ", "))
	case "/body":
		_, _ = io.ReadFull(r.Body, make([]byte, 1000))
		u.begun <- struct{}{}
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	case "/answer":
		_, _ = io.WriteString(w, "first")
		_ = http.NewResponseController(w).Flush()
		<-u.rest
		_, _ = io.WriteString(w, "second")
	case "/large":
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = io.CopyN(w, zeros{}, n)
	case "/break":
		u.posts.Add(1)
		panic(http.ErrAbortHandler)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// do sends a request and returns the answer, whose body the test closes at its end.
func (f *front) do(t *testing.T, method, url string, body io.Reader, headers ...string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stuck)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	expect.OK(t, err)
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Add(pair[0], pair[1])
	}
	resp, err := f.client.Do(req)
	expect.OK(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func read(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	expect.OK(t, err)
	return string(text)
}

func (u *upstream) headers(t *testing.T) {
	for _, host := range []string{website, "marbles-q28hkw." + contentHost} {
		resp := u.do(t, "GET", "https://"+host+"/headers", nil, "X-Forwarded-For", "203.0.113.9", "X-Forwarded-For", "203.0.113.10")
		expect.Equal(t, "HTTP", resp.ProtoMajor, 2)
		expect.Equal(t, "what came", read(t, resp), host+" 127.0.0.1")
		hsts := ""
		if host == website {
			hsts = "max-age=31536000"
		}
		expect.Equal(t, "HSTS of "+host, resp.Header.Get("Strict-Transport-Security"), hsts)
	}
}

func (u *upstream) body(t *testing.T) {
	in, out := io.Pipe()
	go func() {
		_, _ = out.Write(make([]byte, 1000))
		<-u.begun // a proxy that waits for the end of the body waits for this
		_, _ = out.Write(make([]byte, 1000))
		out.Close()
	}()
	expect.Equal(t, "what came", read(t, u.do(t, "POST", "https://"+website+"/body", in)), "1000 <nil>")
}

func (u *upstream) answer(t *testing.T) {
	resp := u.do(t, "GET", "https://"+website+"/answer", nil)
	first := make([]byte, len("first"))
	_, err := io.ReadFull(resp.Body, first)
	expect.OK(t, err)
	u.rest <- struct{}{}
	expect.Equal(t, "the rest", read(t, resp), "second")
}

func (u *upstream) post(t *testing.T) {
	for n := range 3 {
		resp := u.do(t, "POST", "https://"+website+"/break", strings.NewReader("{}"))
		expect.Equal(t, "status", resp.StatusCode, http.StatusBadGateway)
		expect.Equal(t, "POSTs that came", u.posts.Load(), int32(n)+1)
	}
}

func (u *upstream) foreign(t *testing.T) {
	c, err := tls.Dial("tcp", u.tls, &tls.Config{ServerName: "elsewhere.example", InsecureSkipVerify: true})
	if err == nil {
		c.Close()
		t.Error("the handshake is done")
	}
}

func (u *upstream) redirect(t *testing.T) {
	resp := u.do(t, "GET", "http://"+website+"/p/x?y=z", nil)
	expect.Equal(t, "status", resp.StatusCode, http.StatusPermanentRedirect)
	expect.Equal(t, "where to", resp.Header.Get("Location"), "https://"+website+"/p/x?y=z")
}

// TestSoakAProxyPassesOnAGigabyte in both directions.
func TestSoakAProxyPassesOnAGigabyte(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			u := &upstream{}
			u.front = start(t, k, "one", "", u.listen(t, "127.0.0.1:0"))
			const size = 1 << 30
			req, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+website+"/large", io.LimitReader(zeros{}, size))
			expect.OK(t, err)
			resp, err := u.client.Do(req)
			expect.OK(t, err)
			defer resp.Body.Close()
			n, err := io.Copy(io.Discard, resp.Body)
			expect.OK(t, err)
			expect.Equal(t, "bytes that came back", n, size)
		})
	}
}
