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
	"math/big"
	"net"
	"net/http"
	"time"
)

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
