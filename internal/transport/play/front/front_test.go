package front

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const wanted = "Host: game.example\r\n"

// projects lets an http.Handler answer for the hosts that are wanted: nil is for all.
type projects struct {
	http.Handler
	wants func(host string) bool
}

func (p projects) Project(host string) (string, bool) { return "", p.wants == nil || p.wants(host) }

func (p projects) ServeProject(a *Answer, r *http.Request, _ string) { p.ServeHTTP(a, r) }

// serve runs a handler behind a front and behind net/http alone. direct counts the
// requests that the front answered itself.
func serve(t *testing.T, h http.Handler) (front, alone string, direct *atomic.Int64) {
	t.Helper()
	direct = new(atomic.Int64)
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		direct.Add(1)
		h.ServeHTTP(w, r)
	})
	l := NewListener(listen(t), Config{Handler: projects{counted, func(host string) bool { return strings.Contains(strings.ToLower(host), "game.example") }}})
	run(t, l, h)
	t.Cleanup(func() { shutdown(t, l) })
	plain := listen(t)
	run(t, plain, h)
	return l.Addr().String(), plain.Addr().String(), direct
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func run(t *testing.T, l net.Listener, h http.Handler) {
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
}

func shutdown(t *testing.T, l *Listener) {
	t.Helper()
	l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := l.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// answered is what a client sees of an exchange.
type answered struct {
	Status int
	Header http.Header
	Body   string
	Length int64
	Broken bool // the body was not whole
	Closed bool // the connection ended behind it
}

// ask sends bytes and reads n answers.
func ask(t *testing.T, addr, request string, n int) []answered {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return askOn(t, c, request, n)
}

// askOn is ask on a connection.
func askOn(t *testing.T, c net.Conn, request string, n int) []answered {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(c)
	method, _, _ := strings.Cut(request, " ")
	var out []answered
	for range n {
		res, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return append(out, answered{Broken: true})
		}
		body, err := io.ReadAll(res.Body)
		res.Header.Del("Date")
		out = append(out, answered{res.StatusCode, res.Header, string(body), res.ContentLength, err != nil, res.Close})
	}
	return out
}

// echo answers with all that a handler can see of a request, and does what its path says.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	switch r.URL.Path {
	case "/empty":
		w.WriteHeader(http.StatusNotFound)
		return
	case "/none":
		w.WriteHeader(http.StatusNoContent)
		return
	case "/not-modified":
		w.Header().Set("Etag", `"1"`)
		w.WriteHeader(http.StatusNotModified)
		return
	case "/told":
		w.Header().Set("Content-Length", "40000")
		_, _ = io.WriteString(w, strings.Repeat("0123456789", 4000))
		return
	case "/close":
		w.Header().Set("Connection", "close")
	case "/injected":
		w.Header().Set("X-Note", "a\r\nSet-Cookie: b")
	case "/streamed":
		w.Header().Set("Content-Length", "400000")
		n, err := io.Copy(w, struct{ io.Reader }{strings.NewReader(strings.Repeat("0123456789", 40000))})
		if err != nil || n != 400000 && r.Method != http.MethodHead {
			panic(err)
		}
		return
	case "/pieces":
		for range 5 {
			_, _ = io.WriteString(w, "piece ")
		}
		return
	}
	w.Header()["X-Seen"] = []string{r.Method, r.RequestURI, r.URL.Path, r.URL.RawQuery, r.Host, r.Proto, string(body)}
	for _, name := range []string{"Accept", "X-Twice", "Content-Length", "Lower", "Host", "If-None-Match"} {
		w.Header()["X-Request-"+name] = slices.Clone(r.Header[name])
	}
	_, _ = io.WriteString(w, "hello\n")
}

func TestAnswersAreThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	front, alone, direct := serve(t, http.HandlerFunc(echo))
	for _, c := range []struct {
		name, request string
		plain         bool
	}{
		{"a short GET", "GET / HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"a path with a query", "GET /a/b.js?x=1&y=%20 HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"an escaped path", "GET /a%20b/%C3%A4.js HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"a path with a wrong escape", "GET /a%zz HTTP/1.1\r\n" + wanted + "\r\n", false},
		{"fields that come twice", "GET / HTTP/1.1\r\n" + wanted + "X-Twice: a\r\nX-Twice: b\r\nlower: c\r\n\r\n", true},
		{"blanks around values", "GET / HTTP/1.1\r\nHost:  game.example \r\nAccept:\t*/* \t\r\n\r\n", true},
		{"values outside of ASCII", "GET / HTTP/1.1\r\n" + wanted + "Accept: \xc3\xa4\r\n\r\n", true},
		{"a connection that is to go on", "GET / HTTP/1.1\r\n" + wanted + "Connection: Keep-Alive\r\n\r\n", true},
		{"HEAD", "HEAD / HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"HEAD of a length that is told", "HEAD /told HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"POST with a short body", "POST /.sandlot/heartbeat HTTP/1.1\r\n" + wanted + "Content-Length: 4\r\n\r\nbody", true},
		{"POST without a body", "POST / HTTP/1.1\r\n" + wanted + "Content-Length: 0\r\n\r\n", true},
		{"an answer without a body", "GET /none HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"an answer with an empty body", "GET /empty HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"a 304", "GET /not-modified HTTP/1.1\r\n" + wanted + "If-None-Match: \"1\"\r\n\r\n", true},
		{"a body above the buffer", "GET /told HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"a body that is streamed", "GET /streamed HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"HEAD of a body that is streamed", "HEAD /streamed HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"a body in pieces", "GET /pieces HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"a value with line breaks", "GET /injected HTTP/1.1\r\n" + wanted + "\r\n", true},
		{"an answer that closes", "GET /close HTTP/1.1\r\n" + wanted + "\r\n", true},

		{"another host", "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n", false},
		{"no host", "GET / HTTP/1.1\r\n\r\n", false},
		{"two hosts", "GET / HTTP/1.1\r\n" + wanted + wanted + "\r\n", false},
		{"a strange host", "GET / HTTP/1.1\r\nHost: game.example/\r\n\r\n", false},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n" + wanted + "\r\n", false},
		{"a version that is not", "GET / HTTP/1.2\r\n" + wanted + "\r\n", false},
		{"another method", "PUT / HTTP/1.1\r\n" + wanted + "Content-Length: 1\r\n\r\nx", false},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + wanted + "\r\n", false},
		{"an absolute target", "GET http://game.example/ HTTP/1.1\r\n" + wanted + "\r\n", false},
		{"two slashes first", "GET //a HTTP/1.1\r\n" + wanted + "\r\n", false},
		{"a target with a blank", "GET /a b HTTP/1.1\r\n" + wanted + "\r\n", false},
		{"bare line feeds", "GET / HTTP/1.1\n" + "Host: game.example\n\n", false},
		{"a line feed in a value", "GET / HTTP/1.1\r\n" + wanted + "Accept: a\nX: b\r\n\r\n", false},
		{"a folded line", "GET / HTTP/1.1\r\n" + wanted + "Accept: a\r\n b\r\n\r\n", false},
		{"a blank before the colon", "GET / HTTP/1.1\r\n" + wanted + "Accept : a\r\n\r\n", false},
		{"a control character", "GET / HTTP/1.1\r\n" + wanted + "Accept: a\x01\r\n\r\n", false},
		{"no name", "GET / HTTP/1.1\r\n" + wanted + ": a\r\n\r\n", false},
		{"no colon", "GET / HTTP/1.1\r\n" + wanted + "Accept\r\n\r\n", false},
		{"a connection that is to end", "GET / HTTP/1.1\r\n" + wanted + "Connection: close\r\n\r\n", false},
		{"GET with a body", "GET / HTTP/1.1\r\n" + wanted + "Content-Length: 1\r\n\r\nx", false},
		{"a length with a sign", "POST / HTTP/1.1\r\n" + wanted + "Content-Length: +1\r\n\r\nx", false},
		{"two lengths", "POST / HTTP/1.1\r\n" + wanted + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", false},
		{"a length above the length", "POST / HTTP/1.1\r\n" + wanted + "Content-Length: 600\r\n\r\n" + strings.Repeat("x", 600), false},
		{"chunks", "POST / HTTP/1.1\r\n" + wanted + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", false},
		{"a header above the buffer", "GET / HTTP/1.1\r\n" + wanted + "Accept: " + strings.Repeat("a", headMax) + "\r\n\r\n", false},
		{"too many fields", "GET / HTTP/1.1\r\n" + wanted + strings.Repeat("Lower: a\r\n", linesMax) + "\r\n", false},
		{"an empty line first", "\r\nGET / HTTP/1.1\r\n" + wanted + "\r\n", false},
		{"no HTTP", "hello\r\n\r\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := direct.Load()
			got, want := ask(t, front, c.request, 1), ask(t, alone, c.request, 1)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("net/http - and front +:\n%s", d)
			}
			if plain := direct.Load() > before; plain != c.plain {
				t.Errorf("answered by the front: %v", plain)
			}
		})
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	front, alone, direct := serve(t, http.HandlerFunc(echo))
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\n" + wanted + "\r\n" }
	for _, c := range []struct {
		name, request string
		answers       int
		direct        int64
	}{
		{"requests that come at once are answered in order", get("/1") + get("/2") + get("/told") + get("/3"), 4, 4},
		{"from the first that is not plain on, all are net/http's", get("/1") + "PUT / HTTP/1.1\r\n" + wanted + "Content-Length: 1\r\n\r\nx" + get("/2"), 3, 1},
		{"half a request behind a whole one is not lost", get("/1") + "POST / HTTP/1.1\r\n" + wanted + "Content-Length: 600\r\n\r\n" + strings.Repeat("x", 600), 2, 1},
		{"a body is not taken for a request", "POST / HTTP/1.1\r\n" + wanted + "Content-Length: 5\r\n\r\nGET /" + get("/2"), 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := direct.Load()
			if d := cmp.Diff(ask(t, alone, c.request, c.answers), ask(t, front, c.request, c.answers)); d != "" {
				t.Errorf("net/http - and front +:\n%s", d)
			}
			if n := direct.Load() - before; n != c.direct {
				t.Errorf("the front answered %d, want %d", n, c.direct)
			}
		})
	}
	t.Run("a request that comes byte by byte is answered", func(t *testing.T) {
		c, err := net.Dial("tcp", front)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, b := range []byte(get("/slow")) {
			if _, err := c.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", res, err)
		}
	})
}

func TestAnswersThatFail(t *testing.T) {
	t.Parallel()
	front, _, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			w.Header().Set("Content-Length", "20000")
			_, _ = w.Write(make([]byte, 18000))
			panic(http.ErrAbortHandler)
		case "/short":
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "short")
		case "/long":
			w.Header().Set("Content-Length", "4")
			_, err1 := io.WriteString(w, "four")
			if _, err := io.WriteString(w, "more"); err1 != nil || !errors.Is(err, http.ErrContentLength) {
				t.Errorf("%v, %v", err1, err)
			}
		case "/bad-length":
			w.Header().Set("Content-Length", "x")
			_, _ = io.WriteString(w, "four")
		case "/unknown":
			for range 10 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), answerBuffer/4))
			}
		}
	}))
	for path, want := range map[string]answered{
		"/panic":      {Status: 200, Length: 20000, Broken: true},
		"/short":      {Status: 200, Length: 10, Broken: true},
		"/long":       {Status: 200, Length: 4},
		"/bad-length": {Status: 200, Length: 4},
		"/unknown":    {Status: 200, Length: -1, Closed: true},
	} {
		t.Run("a client sees what is not whole: "+path, func(t *testing.T) {
			got := ask(t, front, "GET "+path+" HTTP/1.1\r\n"+wanted+"\r\n", 1)[0]
			if path == "/unknown" && len(got.Body) != 10*(answerBuffer/4) {
				t.Errorf("%d bytes", len(got.Body))
			}
			got.Header, got.Body = nil, ""
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	l := NewListener(listen(t), Config{Handler: projects{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				close(entered)
				<-leave
			}
			_, _ = io.WriteString(w, "done")
		}),
	}})
	run(t, l, http.NotFoundHandler())
	idle, busy := dial(t, l), dial(t, l)
	io.WriteString(idle, "GET / HTTP/1.1\r\n"+wanted+"\r\n")
	idleIn := bufio.NewReader(idle)
	if res, err := http.ReadResponse(idleIn, nil); err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	} else if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	io.WriteString(busy, "GET /slow HTTP/1.1\r\n"+wanted+"\r\n")
	<-entered
	done := make(chan struct{})
	go func() {
		shutdown(t, l)
		close(done)
	}()
	t.Run("connections that wait end", func(t *testing.T) {
		if n, err := idleIn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("a request that is being answered is answered", func(t *testing.T) {
		select {
		case <-done:
			t.Error("shut down before the answer")
		default:
		}
		close(leave)
		in := bufio.NewReader(busy)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(res.Body); err != nil || string(b) != "done" {
			t.Errorf("%q, %v", b, err)
		}
		<-done
	})
}

func TestConnectionsThatMostlyWait(t *testing.T) {
	t.Parallel()
	l := NewListener(listen(t), Config{Handler: projects{Handler: http.HandlerFunc(echo)}, rest: 1})
	run(t, l, http.HandlerFunc(echo))
	c := dial(t, l)
	in := bufio.NewReader(c)
	for i := range 100 {
		io.WriteString(c, "GET /told HTTP/1.1\r\n"+wanted+"\r\n")
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if n, err := io.Copy(io.Discard, res.Body); n != 40000 || err != nil {
			t.Fatalf("request %d: %d bytes, %v", i, n, err)
		}
	}
	t.Run("they end with a shutdown like others", func(t *testing.T) {
		shutdown(t, l)
		if n, err := in.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestRegression08ANewConnectionThatSendsNothingEndsFirst(t *testing.T) {
	t.Parallel()
	l := NewListener(listen(t), Config{Handler: projects{Handler: http.HandlerFunc(echo)}, First: 100 * time.Millisecond, Idle: time.Minute})
	run(t, l, http.HandlerFunc(echo))
	t.Cleanup(func() { shutdown(t, l) })
	ask := func(c net.Conn, in *bufio.Reader) {
		t.Helper()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: game.example\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	kept := dial(t, l)
	in := bufio.NewReader(kept)
	ask(kept, in)
	// One that was silent from its beginning, and began later than the other has been waiting.
	if n, err := dial(t, l).Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
	ask(kept, in)
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// ends reports how a connection ends for the client.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	if rest, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection did not end, after %q", rest)
	}
}

func TestAPanicEndsOneConnection(t *testing.T) {
	t.Parallel()
	l := NewListener(listen(t), Config{Handler: projects{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Left", "behind")
			if r.URL.Path == "/panic" {
				_, _ = io.WriteString(w, "secret")
				panic("a fault")
			}
			w.Header().Del("X-Left")
			_, _ = io.WriteString(w, "fine")
		}),
		wants: func(host string) bool {
			if host == "panic.example" {
				panic("a fault")
			}
			return true
		},
	}})
	run(t, l, http.NotFoundHandler())
	t.Cleanup(func() { shutdown(t, l) })
	for name, request := range map[string]string{
		"of the handler":        "GET /panic HTTP/1.1\r\n" + wanted + "\r\n",
		"of who wants the host": "GET / HTTP/1.1\r\nHost: panic.example\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, l)
			fmt.Fprint(c, request)
			ends(t, c)
			got := ask(t, l.Addr().String(), "GET / HTTP/1.1\r\n"+wanted+"\r\n", 1)[0]
			if got.Status != http.StatusOK || got.Body != "fine" || got.Header["X-Left"] != nil {
				t.Errorf("the next answer: %+v", got)
			}
		})
	}
}

// TestExchangesAreNotMixed lets many connections, to different projects and with
// answers of all sizes, use the same few exchanges.
func TestExchangesAreNotMixed(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.RemoteAddr = "another:0" // as what trusts a proxy does
		r.Header.Set("X-Secret", r.Host)
		size := len(r.URL.Path) * 997
		if size%2 == 0 {
			w.Header().Set("X-Even", r.Host)
		}
		w.Header().Set("X-Of", r.Host+r.URL.Path+string(body)+strings.Join(r.Header["X-Own"], ","))
		w.Header().Set("Content-Length", fmt.Sprint(size))
		for text := bytes.Repeat([]byte{r.Host[0]}, size); len(text) > 0; {
			n, _ := w.Write(text[:min(len(text), 5000)])
			text = text[n:]
		}
	})
	seen := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["X-Secret"] != nil || strings.HasPrefix(r.RemoteAddr, "another") {
			t.Error("a request has what another left")
		}
		h(w, r)
	})
	l := NewListener(listen(t), Config{Handler: projects{Handler: seen}})
	run(t, l, http.NotFoundHandler())
	t.Cleanup(func() { shutdown(t, l) })
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			in := bufio.NewReader(c)
			for n := range 60 {
				host, path, own, body := string(rune('a'+i))+".example", "/"+strings.Repeat("p", (i*7+n)%60), fmt.Sprint(i, "-", n), ""
				method := http.MethodGet
				if n%3 == 0 {
					method, body = http.MethodPost, fmt.Sprint("body", i, n)
				}
				fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: %s\r\nX-Own: %s\r\nContent-Length: %d\r\n\r\n%s", method, path, host, own, len(body), body)
				res, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(res.Body)
				size := len(path) * 997
				even := res.Header.Get("X-Even") == host
				if err != nil || res.Header.Get("X-Of") != host+path+body+own || even != (size%2 == 0) || len(got) != size || bytes.Count(got, []byte(host[:1])) != size {
					t.Errorf("%v: %v for %s%s%s%s with %d bytes", err, res.Header, host, path, body, own, len(got))
					return
				}
			}
		})
	}
	all.Wait()
}
