package s3

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A proxy stands before the real store and makes it fail as a test says.
type proxy struct {
	*httptest.Server
	backend string
	client  *http.Client

	mu    sync.Mutex
	fault fault
	asked int // since the fault was set
}

// A fault answers the n-th request since it was set, counted from 1, and returns true; or returns false, and the
// store answers.
type fault func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool

// proxied lets all stores of a bucket be asked through a proxy.
func proxied(t *testing.T, b *bucket) *proxy {
	t.Helper()
	p := &proxy{backend: b.endpoint, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() { p.Close(); p.client.CloseIdleConnections() })
	b.endpoint = p.URL
	return p
}

func (p *proxy) set(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.asked = f, 0
}

func (p *proxy) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked++
	n, f := p.asked, p.fault
	p.mu.Unlock()
	if f != nil && f(p, w, r, n) {
		return
	}
	p.pass(w, r)
}

// forward sends the request to the store. The host is the one that the client signed.
func (p *proxy) forward(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", p.backend[len("http://"):], ""
	return p.client.Do(out)
}

func (p *proxy) pass(w http.ResponseWriter, r *http.Request) {
	answer, err := p.forward(r)
	if err != nil {
		reset(p, w, r, 0)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// first makes a fault of the first so many requests of a kind.
func first(many int, is func(*http.Request) bool, f fault) fault {
	var mu sync.Mutex
	return func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
		mu.Lock()
		hit := many > 0 && is(r)
		if hit {
			many--
		}
		mu.Unlock()
		return hit && f(p, w, r, n)
	}
}

// allBut makes a fault of all requests but each k-th.
func allBut(k int, f fault) fault {
	return func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool { return n%k != 0 && f(p, w, r, n) }
}

const always = 1 << 30

func all(*http.Request) bool    { return true }
func puts(r *http.Request) bool { return r.Method == http.MethodPut }
func gets(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Query().Get("list-type") == ""
}
func posts(r *http.Request) bool { return r.Method == http.MethodPost }

// refuse answers as a store does that cannot or does not want to.
func refuse(status int, code string) fault {
	return func(_ *proxy, w http.ResponseWriter, r *http.Request, _ int) bool {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>The key %s is not liked.</Message></Error>", code, r.Header.Get("Authorization"))
		return true
	}
}

// hijacked is the connection under a request.
func hijacked(w http.ResponseWriter) net.Conn {
	c, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_ = buffered.Flush()
	return c
}

// reset closes the connection without an answer.
func reset(_ *proxy, w http.ResponseWriter, _ *http.Request, _ int) bool {
	c := hijacked(w)
	_ = c.(*net.TCPConn).SetLinger(0)
	c.Close()
	return true
}

// lost lets the store do it, and loses the answer.
func lost(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
	answer, err := p.forward(r)
	if err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	return reset(p, w, r, n)
}

// silent never answers.
func silent(_ *proxy, _ http.ResponseWriter, r *http.Request, _ int) bool {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	return true
}

// cut breaks an answer off in its middle, with a reset or an end.
func cut(linger int) fault {
	return func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
		return p.changed(w, r, func(header http.Header, body []byte) {
			c := hijacked(w)
			defer c.Close()
			_ = c.(*net.TCPConn).SetLinger(linger)
			fmt.Fprintf(c, "HTTP/1.1 %s 200\r\nContent-Length: %d\r\nContent-Range: %s\r\n\r\n", statusFor(header), len(body), header.Get("Content-Range"))
			_, _ = c.Write(body[:len(body)/2])
			time.AfterFunc(20*time.Millisecond, func() { c.Close() }) // written bytes arrive before a reset
		})
	}
}

func statusFor(header http.Header) string {
	if header.Get("Content-Range") != "" {
		return "206"
	}
	return "200"
}

// another answers with other bytes.
func another(change func(header http.Header, body []byte) []byte) fault {
	return func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
		return p.changed(w, r, func(header http.Header, body []byte) {
			body = change(header, body)
			for name, values := range header {
				w.Header()[name] = values
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			status := 200
			if header.Get("Content-Range") != "" {
				status = 206
			}
			w.WriteHeader(status)
			_, _ = w.Write(body)
		})
	}
}

// slow sends a few bytes now and then.
func slow(step int, pause time.Duration) fault {
	return func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
		return p.changed(w, r, func(header http.Header, body []byte) {
			for name, values := range header {
				w.Header()[name] = values
			}
			if header.Get("Content-Range") != "" {
				w.WriteHeader(206)
			}
			for len(body) > 0 && r.Context().Err() == nil {
				part := body[:min(step, len(body))]
				_, _ = w.Write(part)
				_ = http.NewResponseController(w).Flush()
				body = body[len(part):]
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
				}
			}
		})
	}
}

// changed gets the store's answer, and passes a changed one on, if it is an object.
func (p *proxy) changed(w http.ResponseWriter, r *http.Request, give func(http.Header, []byte)) bool {
	answer, err := p.forward(r)
	if err != nil {
		return reset(p, w, r, 0)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return reset(p, w, r, 0)
	}
	if answer.StatusCode >= 300 {
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(body)
		return true
	}
	give(answer.Header, body)
	return true
}
