package doctor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

var secret = []byte("the secret of this installation")

// an authority that signs certificates of servers.
type authority struct {
	key   *ecdsa.PrivateKey
	cert  *x509.Certificate
	roots *x509.CertPool
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.OK(t, err)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a local authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	expect.OK(t, err)
	a := authority{key: key, roots: x509.NewCertPool()}
	a.cert, err = x509.ParseCertificate(der)
	expect.OK(t, err)
	a.roots.AddCert(a.cert)
	return a
}

// sign returns a certificate for names that began 60 days ago and ends after left.
func (a authority) sign(t *testing.T, left time.Duration, names ...string) tls.Certificate {
	t.Helper()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: names, NotBefore: time.Now().AddDate(0, 0, -60), NotAfter: time.Now().Add(left),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, a.cert, a.key.Public(), a.key)
	expect.OK(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
}

// secured starts an instance behind TLS, and returns the site of its doctor.
func secured(t *testing.T, a authority, cert tls.Certificate, h http.Handler) Site {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	expect.OK(t, err)
	return Site{
		Base: &url.URL{Scheme: "https", Host: "play.example:" + port}, Content: "content.example:" + port, Label: "doctor-x",
		Secret: secret, Now: time.Now, Roots: a.roots,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}
}

func examiner(of []byte) Examiner {
	return Examiner{Secret: of, Now: time.Now, Next: http.NotFoundHandler(), See: func(r *http.Request) Seen {
		return SeeFrom(r, func(netip.Addr) bool { return false }, func(a netip.Addr, _ []string) (netip.Addr, bool) { return a, true })
	}}
}

// told returns the findings as lines.
func told(list []Finding) (lines []string) {
	for _, f := range list {
		lines = append(lines, string(f.State)+" "+f.Check+" "+f.Detail)
	}
	return lines
}

func says(t *testing.T, list []Finding, part string) {
	t.Helper()
	expect.Contains(t, "the findings", strings.Join(told(list), "\n"), part)
}

func TestCertificatesAreJudged(t *testing.T) {
	t.Parallel()
	a, day := newAuthority(t), 24*time.Hour
	for _, tc := range []struct {
		name  string
		left  time.Duration
		names []string
		says  string
	}{
		{"one that fits", 80 * day, []string{"play.example", "*.content.example"}, "ok tls the certificate of doctor-x.content.example at 127.0.0.1 fits, until "},
		{"one without the wildcard", 80 * day, []string{"play.example"}, "mend tls the certificate of doctor-x.content.example at 127.0.0.1 is not valid: certificate is valid for play.example"},
		{"one that ends soon", 10 * day, []string{"play.example", "*.content.example"}, "mend tls the certificate of play.example at 127.0.0.1 ends soon, on "},
		{"one that has ended", -day, []string{"play.example", "*.content.example"}, "is not valid: certificate has expired"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			site := secured(t, a, a.sign(t, tc.left, tc.names...), examiner(secret))
			found := Run(t.Context(), []Check{site.Check()})
			says(t, found, tc.says)
			says(t, found, "ok names the base host, play.example, leads here at 127.0.0.1")
		})
	}
	t.Run("one of an unknown authority", func(t *testing.T) {
		t.Parallel()
		site := secured(t, newAuthority(t), a.sign(t, 80*day, "play.example"), examiner(secret))
		says(t, site.check(t.Context()), "certificate signed by unknown authority")
	})
}

func TestNamesThatLeadElsewhereAreReported(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	cert := a.sign(t, 80*24*time.Hour, "play.example", "*.content.example")
	t.Run("another installation", func(t *testing.T) {
		t.Parallel()
		found := secured(t, a, cert, examiner([]byte("another secret"))).check(t.Context())
		says(t, found, "mend  the base host, play.example, does not lead here: at 127.0.0.1 another server answers there, or another installation (status 404, Server: none)")
		says(t, found, "skipped proxy what it passes on is not known")
	})
	t.Run("one of two addresses", func(t *testing.T) {
		t.Parallel()
		site := secured(t, a, cert, examiner(secret))
		site.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}, nil
		}
		found := site.check(t.Context())
		says(t, found, "ok  the base host, play.example, leads here at 127.0.0.1")
		says(t, found, "does not lead here: at 127.0.0.2 nothing answers there: connect: connection refused")
	})
	t.Run("no wildcard", func(t *testing.T) {
		t.Parallel()
		site := secured(t, a, cert, examiner(secret))
		site.Resolve = func(_ context.Context, name string) ([]netip.Addr, error) {
			if name != "play.example" {
				return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		found := site.check(t.Context())
		says(t, found, "mend  a name under the content host (content.example) does not resolve: doctor-x.content.example")
		expect.Contains(t, "the mend", found[2].Mend, "for *.content.example with")
	})
}

// TestNobodyWithoutTheSecretLearnsOfTheExaminer: an old, changed or missing proof gets the ordinary answer of the path.
func TestNobodyWithoutTheSecretLearnsOfTheExaminer(t *testing.T) {
	t.Parallel()
	e := examiner(secret)
	fresh, _ := question(secret, time.Now())
	old, _ := question(secret, time.Now().Add(-2*proofLife))
	early, _ := question(secret, time.Now().Add(2*proofLife))
	foreign, _ := question([]byte("another secret"), time.Now())
	for name, tc := range map[string]struct {
		method, path, proof string
		status              int
	}{
		"fresh":                 {http.MethodPut, Path, fresh, http.StatusOK},
		"old":                   {http.MethodPut, Path, old, http.StatusNotFound},
		"of the future":         {http.MethodPut, Path, early, http.StatusNotFound},
		"by another secret":     {http.MethodPut, Path, foreign, http.StatusNotFound},
		"changed":               {http.MethodPut, Path, fresh[:len(fresh)-1] + "x", http.StatusNotFound},
		"none":                  {http.MethodPut, Path, "", http.StatusNotFound},
		"at another path":       {http.MethodPut, "/v1/publish", fresh, http.StatusNotFound},
		"with another method":   {http.MethodGet, Path, fresh, http.StatusNotFound},
		"with too many members": {http.MethodPut, Path, fresh + ".x", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // it ends the pause
			r := httptest.NewRequestWithContext(ctx, tc.method, tc.path, nil)
			r.Header.Set("Authorization", tc.proof)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			expect.Equal(t, "status", w.Code, tc.status)
			expect.Equal(t, "says what it saw", strings.Contains(w.Body.String(), "peer"), tc.status == http.StatusOK)
		})
	}
}
