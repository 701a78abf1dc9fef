package front

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sandlot/internal/testkit/testenv"
)

// ended returns the configurations of a server that ends TLS and of its clients.
func ended(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"game.example"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	leaf, _ = x509.ParseCertificate(der)
	roots.AddCert(leaf)
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1", "acme-tls/1"}},
		&tls.Config{RootCAs: roots, ServerName: "game.example"}
}

// secured runs a handler behind a front that ends TLS. direct counts the requests that the front answered itself.
func secured(t *testing.T, c Config) (l *Listener, client *tls.Config, direct *atomic.Int64) {
	t.Helper()
	direct = new(atomic.Int64)
	c.TLS, client = ended(t)
	c.Handler = projects{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		direct.Add(1)
		echo(w, r)
	})}
	l = NewListener(listen(t), c)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/taken" {
			echo(w, r)
			return
		}
		taken, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(taken, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		taken.Close()
	})}
	Cover(server, "X-Covered: yes\r\n")
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() {
		l.Close()
		_ = server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := l.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return l, client, direct
}

func dialTLS(t *testing.T, l net.Listener, c *tls.Config) *tls.Conn {
	t.Helper()
	s := tls.Client(dial(t, l), c)
	if err := s.Handshake(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOverTLS(t *testing.T) {
	t.Parallel()
	l, client, direct := secured(t, Config{})
	alone, _, _ := serve(t, http.HandlerFunc(echo))
	for name, request := range map[string]string{
		"a short GET":                     "GET / HTTP/1.1\r\n" + wanted + "\r\n",
		"a body above the buffer":         "GET /told HTTP/1.1\r\n" + wanted + "\r\n",
		"a body in pieces":                "GET /pieces HTTP/1.1\r\n" + wanted + "\r\n",
		"a body whose length is unknown":  "GET /streamed HTTP/1.1\r\n" + wanted + "\r\n",
		"HEAD":                            "HEAD /told HTTP/1.1\r\n" + wanted + "\r\n",
		"a 304":                           "GET /not-modified HTTP/1.1\r\n" + wanted + "If-None-Match: \"1\"\r\n\r\n",
		"POST with a short body":          "POST / HTTP/1.1\r\n" + wanted + "Content-Length: 4\r\n\r\nbody",
		"a request that is net/http's":    "PUT / HTTP/1.1\r\n" + wanted + "Content-Length: 1\r\n\r\nx",
		"half a request behind a whole":   "GET /1 HTTP/1.1\r\n" + wanted + "\r\nPOST / HTTP/1.1\r\n" + wanted + "Content-Length: 600\r\n\r\n" + strings.Repeat("x", 600),
		"a header above the front's room": "GET / HTTP/1.1\r\n" + wanted + "Accept: " + strings.Repeat("a", headMax) + "\r\n\r\n",
	} {
		t.Run(name+" has the same answer as without TLS", func(t *testing.T) {
			c := dialTLS(t, l, client)
			answers := strings.Count(request, "HTTP/1.1")
			if d := cmp.Diff(ask(t, alone, request, answers), askOn(t, c, request, answers)); d != "" {
				t.Errorf("plain - and TLS +:\n%s", d)
			}
		})
	}
	t.Run("plain requests are the front's, one after another", func(t *testing.T) {
		c := dialTLS(t, l, client)
		in := bufio.NewReader(c)
		before := direct.Load()
		for range 3 {
			io.WriteString(c, "GET /told HTTP/1.1\r\n"+wanted+"\r\n")
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, res.Body); n != 40000 || err != nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		}
		if n := direct.Load() - before; n != 3 {
			t.Errorf("the front answered %d", n)
		}
	})
	t.Run("a request that comes byte by byte is answered", func(t *testing.T) {
		c := dialTLS(t, l, client)
		for _, b := range []byte("GET /slow HTTP/1.1\r\n" + wanted + "\r\n") {
			if _, err := c.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
		}
		if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", res, err)
		}
	})
	t.Run("answers that net/http gives by itself are covered", func(t *testing.T) {
		c := dialTLS(t, l, client)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != http.StatusBadRequest || res.Header.Get("X-Covered") != "yes" {
			t.Errorf("%v, %v", res, err)
		}
	})
	t.Run("but not those of a handler that took the connection", func(t *testing.T) {
		c := dialTLS(t, l, client)
		io.WriteString(c, "PUT /taken HTTP/1.1\r\n"+wanted+"Content-Length: 0\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("X-Covered") != "" {
			t.Errorf("%v, %v", res, err)
		}
	})
	t.Run("HTTP/2 is net/http's", func(t *testing.T) {
		way := &http.Transport{TLSClientConfig: client, ForceAttemptHTTP2: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
		}}
		defer way.CloseIdleConnections()
		res, err := (&http.Client{Transport: way}).Get("https://game.example/told")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if n, err := io.Copy(io.Discard, res.Body); n != 40000 || err != nil || res.ProtoMajor != 2 {
			t.Errorf("%d bytes of %s, %v", n, res.Proto, err)
		}
	})
	t.Run("a client without TLS is told so", func(t *testing.T) {
		c := dial(t, l)
		io.WriteString(c, "GET / HTTP/1.1\r\n"+wanted+"\r\n")
		if said, _ := io.ReadAll(c); !bytes.HasPrefix(said, []byte("HTTP/1.0 400 ")) {
			t.Errorf("%q", said)
		}
	})
	t.Run("the connection of a challenge ends after its handshake", func(t *testing.T) {
		challenge := client.Clone()
		challenge.NextProtos = []string{"acme-tls/1"}
		if n, err := dialTLS(t, l, challenge).Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// seats counts the connections that have a slot.
type seats struct{ taken, free atomic.Int64 }

func (s *seats) Take(net.Conn) bool { return s.taken.Add(1) <= s.free.Load() }

func (s *seats) Give(net.Conn) { s.taken.Add(-1) }

func TestHandshakes(t *testing.T) {
	t.Parallel()
	slots := &seats{}
	slots.free.Store(1)
	l, client, _ := secured(t, Config{Slots: slots, First: 200 * time.Millisecond})
	t.Run("limits of connections hold before them, and slow ones are cut", func(t *testing.T) {
		slow := dial(t, l)
		ends(t, dial(t, l)) // there is no slot for it
		began := time.Now()
		ends(t, slow)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("after %s", took)
		}
	})
	t.Run("a connection that ended has given its slot back", func(t *testing.T) {
		testenv.Eventually(t, 5*time.Second, "the slot of the slow client", func() bool { return slots.taken.Load() == 1 })
		slots.taken.Store(0) // the one that Take refused
		dialTLS(t, l, client).Close()
	})
}

func TestShutdownOverTLS(t *testing.T) {
	t.Parallel()
	l, client, _ := secured(t, Config{})
	waits, shakes := dialTLS(t, l, client), dial(t, l)
	io.WriteString(waits, "GET / HTTP/1.1\r\n"+wanted+"\r\n")
	in := bufio.NewReader(waits)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	shutdown(t, l)
	if n, err := in.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a connection that waits: %d, %v", n, err)
	}
	ends(t, shakes)
}
