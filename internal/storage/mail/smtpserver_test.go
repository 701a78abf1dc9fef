package mail

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
)

// fakeServer is a real SMTP server that a test can make refuse or stall.
type fakeServer struct {
	address string

	mu   sync.Mutex
	got  []delivery
	wire bytes.Buffer // the bytes of both sides

	// Each may be nil. They answer for the command of their name.
	onMail, onRcpt, onData func() error
	to                     func(address string) error // called for each recipient, if it is set
	user, password         string                     // required if set
}

// delivery is one accepted message.
type delivery struct {
	from, to string
	raw      []byte
	tls      bool
	auth     string // the mechanism used
}

// start lets a server listen on the loopback address until the test ends.
func (f *fakeServer) start(t *testing.T, set func(*smtp.Server), wrap func(net.Listener) net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	f.address = l.Addr().String()
	if wrap != nil {
		l = wrap(l)
	}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{f: f, conn: c}, nil
	}))
	s.Domain = "mx.example"
	s.AllowInsecureAuth = true
	s.EnableSMTPUTF8 = true
	s.Debug = lockedWriter{f}
	s.ErrorLog = log.New(io.Discard, "", 0)
	if set != nil {
		set(s)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
}

func (f *fakeServer) deliveries() []delivery {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]delivery(nil), f.got...)
}

func (f *fakeServer) transcript() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wire.String()
}

type lockedWriter struct{ f *fakeServer }

func (w lockedWriter) Write(p []byte) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	return w.f.wire.Write(p)
}

// session is one connection to the server.
type session struct {
	f    *fakeServer
	conn *smtp.Conn
	now  delivery
	auth string
}

func (s *session) Reset()        { s.now = delivery{} }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.f.user != "" && s.auth == "" {
		return smtp.ErrAuthRequired
	}
	s.now.from = from
	return answer(s.f.onMail)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.now.to = to
	if s.f.to != nil {
		return s.f.to(to)
	}
	return answer(s.f.onRcpt)
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := answer(s.f.onData); err != nil {
		return err
	}
	s.now.raw, s.now.auth = raw, s.auth
	_, s.now.tls = s.conn.TLSConnectionState()
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.got = append(s.f.got, s.now)
	return nil
}

func (s *session) AuthMechanisms() []string {
	if s.f.user == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.f.user || password != s.f.password {
			return smtp.ErrAuthFailed
		}
		s.auth = mechanism
		return nil
	}), nil
}

func answer(f func() error) error {
	if f == nil {
		return nil
	}
	return f()
}

// authority makes a certificate for the loopback address and "localhost", and
// the pool that has its authority.
func authority(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.OK(t, err)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	expect.OK(t, err)
	cert, err := x509.ParseCertificate(der)
	expect.OK(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots
}

// sender makes an SMTP for a URL.
func sender(t *testing.T, url string, roots *x509.CertPool) *SMTP {
	t.Helper()
	s, err := NewSMTP(Config{URL: url, From: "Sandlot <sandlot@sandlot.example>", Roots: roots})
	expect.OK(t, err)
	return s
}

// silent accepts connections, says first, and nothing more until the test ends.
func silent(t *testing.T, first string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	var conns []net.Conn
	done := make(chan bool)
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			io.WriteString(conn, first)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, conn := range conns {
			conn.Close()
		}
	})
	return l.Addr().String()
}

// passing fails the test unless err may pass.
func passing(t *testing.T, err error) {
	t.Helper()
	if err == nil || errors.Is(err, account.ErrRefused) {
		t.Errorf("got %v, want an error that may pass", err)
	}
}
