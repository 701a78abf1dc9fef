package front

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

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
