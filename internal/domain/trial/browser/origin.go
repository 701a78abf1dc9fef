package browser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"sandlot/internal/domain/trial"
)

// Limits of the requests of a page in its trial.
const (
	mostRequests = 2000
	mostBytes    = 512 << 20 // of answers
	mostConns    = 64        // Chromium has 32 to a proxy
	mostHeader   = 32 << 10
)

// An origin is the proxy of one trial: it answers for the page's own origin, and refuses all other requests. It keeps
// the failed requests and the refused hosts.
type origin struct {
	serve  Origin
	page   trial.Page
	url    *url.URL
	server *http.Server
	tls    *secure // for an https origin
	key    string

	mu        sync.Mutex
	requests  int
	bytes     int64
	failed    []trial.Request
	elsewhere []string
}

func newOrigin(serve Origin, page trial.Page, wall time.Duration) (*origin, error) {
	u, err := url.Parse(page.URL)
	if err != nil {
		return nil, err
	}
	o := &origin{serve: serve, page: page, url: u}
	if u.Scheme == "https" {
		if o.tls, o.key, err = newSecure(u.Hostname(), wall); err != nil {
			return nil, err
		}
	}
	o.server = &http.Server{
		Handler: http.HandlerFunc(o.proxy), ReadHeaderTimeout: wall, IdleTimeout: wall, WriteTimeout: wall,
		MaxHeaderBytes: mostHeader, ErrorLog: log.New(io.Discard, "", 0),
	}
	return o, nil
}

// run answers on a listener until close.
func (o *origin) run(l net.Listener) {
	if o.tls != nil {
		go o.server.Serve(o.tls)
	}
	_ = o.server.Serve(netutil.LimitListener(l, mostConns))
}

func (o *origin) close() { _ = o.server.Close() }

// proxy answers the requests of a browser to its proxy.
func (o *origin) proxy(w http.ResponseWriter, r *http.Request) {
	connects, plain := r.Method == http.MethodConnect, o.url.Scheme == "http" && r.URL.Scheme == "http"
	switch {
	case r.TLS != nil:
		o.own(w, r)
	case connects && o.tls != nil && r.Host == withPort(o.url):
		o.tls.tunnel(w)
	case !connects && plain && r.URL.Host == o.url.Host:
		o.own(w, r)
	default:
		o.refuse(w, r.Host)
	}
}

func withPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return u.Host + ":443"
}

// refuse answers a request for another host, which it notes.
func (o *origin) refuse(w http.ResponseWriter, host string) {
	host = plainText(strings.TrimSuffix(host, ":443"), trial.MostHost)
	o.mu.Lock()
	if host != "" && len(o.elsewhere) < trial.MostEntries && !slices.Contains(o.elsewhere, host) {
		o.elsewhere = append(o.elsewhere, host)
	}
	o.mu.Unlock()
	w.Header().Set("Connection", "close")
	http.Error(w, "The play-tester has no network but the project's own files.", http.StatusForbidden)
}

// own answers a request for the page's own origin.
func (o *origin) own(w http.ResponseWriter, r *http.Request) {
	if r.Host != o.url.Host {
		o.refuse(w, r.Host)
		return
	}
	o.mu.Lock()
	o.requests++
	over := o.requests > mostRequests || o.bytes > mostBytes
	o.mu.Unlock()
	if over {
		http.Error(w, "The play-tester has answered enough.", http.StatusTooManyRequests)
		return
	}
	r.URL.Scheme, r.URL.Host = "", ""
	for name := range r.Header {
		if strings.HasPrefix(name, "Proxy-") || name == "Connection" {
			delete(r.Header, name)
		}
	}
	r.Body = http.NoBody
	c := &counted{ResponseWriter: w, origin: o}
	o.serve.ServeTrial(c, r, o.page)
	o.answered(r, c.status)
}

// answered notes a request that failed, once.
func (o *origin) answered(r *http.Request, status int) {
	if status < 400 {
		return
	}
	f := trial.Request{Path: plainText(r.URL.EscapedPath(), trial.MostText), Status: status}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.failed) < trial.MostEntries && !slices.Contains(o.failed, f) {
		o.failed = append(o.failed, f)
	}
}

// note adds the noted requests to the observations.
func (o *origin) note(s *trial.Seen) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s.Failed, s.Elsewhere = slices.Clone(o.failed), slices.Clone(o.elsewhere)
	for _, f := range o.failed { // a browser adds that an error page is no script
		s.Errors = slices.DeleteFunc(s.Errors, func(e string) bool {
			return strings.Contains(e, "Refused to") && strings.Contains(e, o.url.Host+f.Path+"'")
		})
	}
}

// counted counts the answered bytes.
type counted struct {
	http.ResponseWriter
	origin *origin
	status int
}

func (c *counted) WriteHeader(status int) {
	if c.status == 0 && status >= 200 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.origin.mu.Lock()
	c.origin.bytes += int64(len(p))
	over := c.origin.bytes > mostBytes
	c.origin.mu.Unlock()
	if over {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(p)
}

// secure is the listener of an https origin: its connections are the tunnels through the proxy. It speaks TLS itself,
// with a certificate of one trial that the browser is made to accept.
type secure struct {
	config  *tls.Config
	tunnels chan net.Conn
	done    chan struct{}
	wall    time.Duration
}

// newSecure makes a certificate, and also returns the hash of its key.
func newSecure(host string, wall time.Duration) (*secure, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", err
	}
	now := time.Now()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), DNSNames: []string{host},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return nil, "", err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, "", err
	}
	hash := sha256.Sum256(public)
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
	}
	s := &secure{config: config, tunnels: make(chan net.Conn), done: make(chan struct{}), wall: wall}
	return s, base64.StdEncoding.EncodeToString(hash[:]), nil
}

// tunnel answers a CONNECT, and hands the connection over.
func (s *secure) tunnel(w http.ResponseWriter) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(s.wall))
	if buffered.Reader.Buffered() == 0 { // no browser speaks before the answer
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err == nil {
			select {
			case s.tunnels <- tls.Server(conn, s.config):
				return
			case <-s.done:
			}
		}
	}
	_ = conn.Close()
}

func (s *secure) Accept() (net.Conn, error) {
	select {
	case c := <-s.tunnels:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close is called once, by the server.
func (s *secure) Close() error {
	close(s.done)
	return nil
}

func (s *secure) Addr() net.Addr { return &net.TCPAddr{} }
