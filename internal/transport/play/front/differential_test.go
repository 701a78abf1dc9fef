package front

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mirror answers with everything that a handler can learn of a request.
func mirror(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if r.URL.Path == "/panic" {
		panic(http.ErrAbortHandler)
	}
	seen, _ := json.Marshal(map[string]any{
		"method": r.Method, "uri": r.RequestURI, "url": *r.URL, "escaped": r.URL.EscapedPath(), "proto": r.Proto, "major": r.ProtoMajor, "minor": r.ProtoMinor,
		"header": r.Header, "host": r.Host, "length": r.ContentLength, "encoding": r.TransferEncoding, "trailer": r.Trailer, "close": r.Close,
		"body": body, "err": fmt.Sprint(err), "form": r.Form == nil && r.PostForm == nil && r.MultipartForm == nil,
	})
	w.Header()["X-Method"] = []string{r.Method}
	w.Header().Set("Content-Type", "text/plain") // which the front doesn't guess
	switch r.URL.Path {
	case "/304":
		w.Header().Set("Content-Length", "5")
		w.WriteHeader(http.StatusNotModified)
	case "/204":
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Length", fmt.Sprint(len(seen)))
		_, _ = w.Write(seen)
	}
}

// parts are what streams of requests are put together from: the plain, the
// unusual, and what has been used to smuggle.
var parts = struct{ methods, targets, versions, usual, fields, bodies, bytes []string }{
	usual:    []string{"Accept: */*", "accept:\t a \t", "X-A: 1", "x-a: 2", "X-A:", "Connection: keep-alive", "X-A: \xc3\xa4", "Content-Length: 0", "Range: bytes=0-1", "X-Forwarded-For: 10.0.0.1"},
	methods:  []string{"GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "get", "CONNECT", "GET ", " GET", "\r\nGET", "\nGET", "PRI", "G\x00T"},
	targets:  []string{"/", "/a/b.js", "/a/../b", "/./a", "/a//b", "//a", "/..%2f", "/%2e%2e/", "/a%zz", "/a%", "/a%00b", "/a!b'(c)*", "/a;b:@&=+$,", "/?", "/?a=b%20c", "/#f", "/a#f?x", "/\\a", "/a|b", "/\xc3\xa4", "/%C3%A4", "/a\x7f", "/a\tb", "/a b", "http://game.example/a", "http://other.example/", "*", "", "a", "/304", "/204", "/panic", "/{}[]\"<>^`"},
	versions: []string{"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 ", "HTTP/01.1", ""},
	fields: []string{
		"Host: game.example", "Host: game.example", "Host: GAME.example", "Host: game.example:80", "Host: game.example:", "Host: game.example.", "Host: a_b.game.example", "Host: other.example", "Host:", "Host: game.example, a", "Host: [::1]", "Host: game.example/x", "Host: a@game.example", "host:game.example", "Host : game.example", " Host: game.example",
		"Accept: */*", "accept:\t a \t", "X-A: 1", "X-A: 2", "x-a:", "X_A: 1", "X-\xc3\xa4: 1", "X-A: \xc3\xa4", "X-A: a\x00", "X-A: a\x01", "X-A: a\x7f", "X-A: a\rb", "X-A: a\nX-B: b", "X-A: a\r\n b", "X A: 1", ": 1", "X-A", "X-A\t: 1", "(X): 1",
		"Connection: keep-alive", "Connection: Keep-Alive", "Connection: close", "Connection: keep-alive, close", "Connection:", "Connection: X-A", "Connection: Upgrade", "Upgrade: websocket", "Keep-Alive: timeout=1", "Proxy-Connection: close",
		"Content-Length: 0", "Content-Length: 4", "Content-Length: 4", "Content-Length: 04", "Content-Length: +4", "Content-Length: 4, 4", "Content-Length: -1", "Content-Length: 0x4", "Content-Length:", "Content-Length: 99999999999999999999", "Content-Length: 600", "Content-Length : 4", "Content_Length: 4", "content-length:4",
		"Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "transfer-encoding:\tchunked", "Transfer-Encoding: chunked, chunked", "Transfer_Encoding: chunked", "Trailer: X-A", "TE: trailers",
		"Expect: 100-continue", "Expect: x", "Pragma: no-cache", "Pragma: x", "Cache-Control: max-age=0", "Range: bytes=0-1", "If-None-Match: \"a\"", "If-Modified-Since: x", "If-Range: x", "Cookie: a=b; c=d", "Cookie: e=f", "X-Forwarded-For: 10.0.0.1", "X-Forwarded-For: 10.0.0.2", "Forwarded: for=10.0.0.1", "X-HTTP-Method-Override: PUT",
	},
	bodies: []string{"", "", "", "", "body", "0\r\n\r\n", "4\r\nbody\r\n0\r\n\r\n", "4\nbody\n0\n\n", "\r\n", "\n", "GET /smuggled HTTP/1.1\r\nHost: game.example\r\n\r\n"},
	bytes:  []string{"\r", "\n", "\r\n", "\r\n\r\n", "\x00", " ", "\t", ":", "\xff", "%", "/", "a"},
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// mostly picks the first nearly always: a request with one thing wrong shows more
// than one with many.
func mostly(r *rand.Rand, from []string) string {
	if r.IntN(5) > 0 {
		return from[0]
	}
	return pick(r, from)
}

// stream makes one to four requests, some of which are damaged at some byte.
func stream(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range 1 + r.IntN(4) {
		fmt.Fprintf(&b, "%s %s %s\r\n", mostly(r, parts.methods), pick(r, parts.targets), mostly(r, parts.versions))
		if r.IntN(12) > 0 {
			b.WriteString(mostly(r, parts.fields) + "\r\n")
		}
		for range r.IntN(4) {
			b.WriteString(pick(r, [][]string{parts.usual, parts.usual, parts.fields}[r.IntN(3)]) + "\r\n")
		}
		b.WriteString("\r\n" + mostly(r, parts.bodies))
	}
	out := b.Bytes()
	for r.IntN(4) == 0 {
		at := r.IntN(len(out))
		out = append(append(bytes.Clone(out[:at]), pick(r, parts.bytes)...), out[min(len(out), at+r.IntN(3)):]...)
	}
	return out
}

// reply is one answer of a connection.
type reply struct {
	Status int
	Header http.Header
	Body   string
	Closes bool
}

// converse sends a stream, in two pieces, ends its side, and returns all answers up to the
// end of the connection.
func converse(t *testing.T, addr string, sent []byte, split int) (all []reply, end string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for _, piece := range [][]byte{sent[:split], sent[split:]} {
		_, _ = c.Write(piece) // a server that has ended the connection has answered before
	}
	_ = c.(*net.TCPConn).CloseWrite()
	raw, err := io.ReadAll(c)
	if err, late := err.(net.Error); late && err.Timeout() {
		return nil, "the connection did not end"
	}
	all, end = replies(raw)
	if errors.Is(err, syscall.ECONNRESET) && end == "" {
		end = reset
	}
	return all, end
}

// reset is how a connection ends that does not end regularly.
const reset = "reset"

// replies takes answers apart. The answer to a HEAD says so.
func replies(raw []byte) (all []reply, end string) {
	for len(raw) > 0 {
		head, _, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		method := http.MethodGet
		if bytes.Contains(head, []byte("\r\nX-Method: HEAD")) {
			method = http.MethodHead
		}
		left := bytes.NewReader(raw)
		in := bufio.NewReaderSize(left, 16)
		res, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return all, "no answer: " + string(raw)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return all, "a body that is not whole: " + string(raw)
		}
		// Answers to what is not a request have no date; to an expectation that cannot be met net/http answers with one.
		dated := res.StatusCode < 400 || res.StatusCode == http.StatusExpectationFailed
		if res.StatusCode != http.StatusContinue && (len(res.Header["Date"]) == 1) != dated {
			return all, "an answer without a date: " + string(raw)
		}
		delete(res.Header, "Date")
		all = append(all, reply{res.StatusCode, res.Header, string(body), res.Close})
		raw = raw[len(raw)-left.Len()-in.Buffered():]
	}
	return all, ""
}

// alike compares the two servers on a stream.
func alike(t *testing.T, front, alone string, sent []byte, split int) {
	t.Helper()
	want, wantEnd := converse(t, alone, sent, split)
	got, gotEnd := converse(t, front, sent, split)
	if gotEnd == reset || wantEnd == reset {
		gotEnd, wantEnd = "", "" // whether what nobody has read resets a connection is chance
	}
	if n := len(want); len(got) == n+1 && got[n].Status == http.StatusBadRequest && got[n].Closes {
		got = got[:n] // net/http says nothing to fewer than four bytes behind a request; a refusal is as good
	}
	if d := cmp.Diff(want, got); d != "" || wantEnd != gotEnd {
		t.Errorf("%q in pieces of %d: net/http - (%q) and front + (%q):\n%s", sent, split, wantEnd, gotEnd, d)
	}
}

// differing is how many streams a test run compares: some two seconds.
const differing = 3000

func TestNoStreamIsReadDifferently(t *testing.T) {
	t.Parallel()
	front, alone, direct := serve(t, http.HandlerFunc(mirror))
	for seed := range uint64(differing) {
		r := rand.New(rand.NewPCG(seed, 1))
		sent := stream(r)
		split := len(sent)
		if r.IntN(3) == 0 {
			split = r.IntN(len(sent))
		}
		alike(t, front, alone, sent, split)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if n := direct.Load(); n < differing/4 {
		t.Errorf("the front answered %d requests itself: the streams prove little", n)
	}
}

func FuzzNoStreamIsReadDifferently(f *testing.F) {
	for _, target := range parts.targets {
		f.Add([]byte("GET "+target+" HTTP/1.1\r\n"+wanted+"\r\n"), 7)
	}
	for _, field := range parts.fields {
		f.Add([]byte("POST / HTTP/1.1\r\n"+wanted+field+"\r\n\r\nbodyGET /2 HTTP/1.1\r\n"+wanted+"\r\n"), 0)
	}
	f.Fuzz(func(t *testing.T, sent []byte, split int) {
		front, alone, _ := serve(t, http.HandlerFunc(mirror))
		alike(t, front, alone, sent, max(0, min(split, len(sent))))
	})
}

// act does what a handler may do, in the order that its seed gives.
func act(w http.ResponseWriter, r *http.Request) {
	seed, _ := strconv.ParseUint(r.URL.Path[1:], 10, 64)
	w.Header()["X-Method"] = []string{r.Method}
	w.Header().Set("Content-Type", "text/html") // which the front doesn't guess
	do, begun := rand.New(rand.NewPCG(seed, 2)), false
	for {
		step := do.IntN(9)
		if begun && (step <= 3 || step == 7) {
			continue // fields come before the status
		}
		begun = begun || step > 2 && step < 7
		switch step {
		case 0:
			w.Header().Set("X-A", pick(do, []string{"a", "b\r\nX-B: c", "", " d "}))
		case 1:
			w.Header().Set("Content-Type", pick(do, []string{"text/plain", "image/png"}))
		case 2:
			w.Header().Set("Content-Length", pick(do, []string{"0", "5", "100", "70000"}))
		case 3:
			w.WriteHeader([]int{200, 204, 304, 404, 500, 206, 416, 301}[do.IntN(8)])
		case 4, 5:
			_, _ = w.Write([]byte(strings.Repeat("<html>", do.IntN(20))))
		case 6:
			_, _ = w.Write([]byte(strings.Repeat("0123456789", []int{0, 1, 10, 1000, 3000, 7000}[do.IntN(6)])))
		case 7:
			w.Header().Set("Connection", "close")
		case 8:
			if do.IntN(8) == 0 && r.Method != http.MethodHead {
				panic(http.ErrAbortHandler)
			}
			return
		}
	}
}

// TestNoHandlerIsAnsweredDifferently leaves out the header of the length: net/http has chunks.
func TestNoHandlerIsAnsweredDifferently(t *testing.T) {
	t.Parallel()
	front, alone, _ := serve(t, http.HandlerFunc(act))
	for seed := range 1500 {
		method := []string{"GET", "GET", "HEAD"}[seed%3]
		sent := fmt.Appendf(nil, "%s /%d HTTP/1.1\r\n%s\r\n", method, seed, wanted)
		want, wantEnd := converse(t, alone, sent, len(sent))
		got, gotEnd := converse(t, front, sent, len(sent))
		for _, all := range [][]reply{want, got} {
			for i := range all {
				delete(all[i].Header, "Content-Length")
				delete(all[i].Header, "Connection")
				all[i].Closes = false
			}
		}
		if wantEnd != "" {
			continue // broken midway: see TestAnswersThatFail
		}
		if d := cmp.Diff(want, got); d != "" || wantEnd != gotEnd {
			t.Fatalf("seed %d: net/http - (%.300q) and front + (%.300q):\n%s", seed, wantEnd, gotEnd, d)
			return
		}
	}
}
