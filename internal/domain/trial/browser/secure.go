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
	"time"
)

// secure answers for an https origin: it speaks TLS itself, with a certificate of one trial that the browser is made to
// accept.
type secure struct {
	config *tls.Config
	done   chan struct{}
	wall   time.Duration
}

// newSecure makes a certificate, and also returns the hash of its key.
func newSecure(host string, wall time.Duration) (*secure, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", err
	}
	now := time.Now()
	c := &x509.Certificate{SerialNumber: big.NewInt(now.UnixNano()), DNSNames: []string{host}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return nil, "", err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, "", err
	}
	hash := sha256.Sum256(public)
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	return &secure{config: config, done: make(chan struct{}), wall: wall}, base64.StdEncoding.EncodeToString(hash[:]), nil
}

// tunnel answers a CONNECT, and serves the requests inside it.
func (s *secure) tunnel(w http.ResponseWriter, own http.Handler) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, buffered, err := h.Hijack()
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(s.wall))
	if buffered.Reader.Buffered() > 0 { // no browser speaks before the answer
		_ = conn.Close()
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	one := &http.Server{Handler: own, ReadHeaderTimeout: s.wall, IdleTimeout: s.wall, WriteTimeout: s.wall, MaxHeaderBytes: mostHeader, ErrorLog: silent()}
	_ = one.Serve(&single{conn: tls.Server(conn, s.config), done: s.done})
}

func (s *secure) close() { close(s.done) }

// single is a listener of one connection.
type single struct {
	conn net.Conn
	done chan struct{}
}

func (l *single) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *single) Close() error   { return nil }
func (l *single) Addr() net.Addr { return &net.TCPAddr{} }

func silent() *log.Logger { return log.New(io.Discard, "", 0) }
