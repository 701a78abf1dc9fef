package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

var hosts = sandlot.Places{Base: &url.URL{Scheme: "https", Host: "play.example:8443"}, Content: "games.example"}.Hosts()

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// write writes a certificate for names, until an end, with its key.
func write(t *testing.T, p Pair, key crypto.Signer, end time.Time, names ...string) {
	t.Helper()
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: names, NotBefore: end.Add(-90 * 24 * time.Hour), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(p.Certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	der, err = x509.MarshalPKCS8PrivateKey(key)
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(p.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
}

func newKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.OK(t, err)
	return key
}

func pairIn(dir, name string) Pair {
	return Pair{filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")}
}

func open(pairs ...Pair) (*Files, error) {
	return OpenFiles(pairs, hosts, slog.New(slog.DiscardHandler), func() time.Time { return now })
}

func TestPairsThatCannotBeUsedAreRefusedInASentence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, other := pairIn(dir, "good"), pairIn(dir, "other")
	all := []string{"play.example", "games.example", "*.games.example"}
	write(t, good, newKey(t), now.Add(time.Hour), all...)
	if _, err := open(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, says string
		pair       func() Pair
	}{
		{"a certificate that does not fit its key", "are no certificate with its key: private key does not match", func() Pair {
			write(t, other, newKey(t), now.Add(time.Hour), all...)
			return Pair{good.Certificate, other.Key}
		}},
		{"one that has ended", "ended on 2026-11-28: renew it", func() Pair {
			write(t, other, newKey(t), now, all...)
			return other
		}},
		{"one for other names", "no certificate is for play.example, they are for elsewhere.example", func() Pair {
			write(t, other, newKey(t), now.Add(time.Hour), "elsewhere.example")
			return other
		}},
		{"one without the wildcard of projects", "no certificate is for *.games.example", func() Pair {
			write(t, other, newKey(t), now.Add(time.Hour), "play.example", "games.example")
			return other
		}},
		{"a file that is not there", "no such file", func() Pair { return pairIn(dir, "missing") }},
		{"a file of something else", "are no certificate with its key", func() Pair { return Pair{good.Key, good.Certificate} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(c.pair())
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Pairs([]string{"a", "b"}, []string{"a"}); err == nil {
		t.Error("two certificates and one key are pairs")
	}
}

func TestFilesAreReadAgainWhenTheyChange(t *testing.T) {
	t.Parallel()
	p := pairIn(t.TempDir(), "pair")
	key := newKey(t)
	write(t, p, key, now.Add(24*time.Hour), "play.example", "*.games.example")
	var log strings.Builder
	f, err := OpenFiles([]Pair{p}, hosts, slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now })
	expect.OK(t, err)
	ends := func(want time.Time) {
		t.Helper()
		if got := f.Ends(); len(got) != 1 || got[0] != (End{"play.example", want.UTC()}) {
			t.Errorf("%v", got)
		}
	}
	ends(now.Add(24 * time.Hour))
	write(t, p, key, now.Add(48*time.Hour), "play.example", "*.games.example")
	f.Look()
	ends(now.Add(48 * time.Hour))
	// A renewal that has written one file of two, and then one that is for other names.
	expect.OK(t, os.WriteFile(p.Key, []byte("half"), 0o600))
	f.Look()
	ends(now.Add(48 * time.Hour))
	write(t, p, key, now.Add(72*time.Hour), "elsewhere.example")
	f.Look()
	f.Look()
	ends(now.Add(48 * time.Hour))
	expect.OK(t, os.Remove(p.Key))
	f.Look()
	f.Look()
	if n := strings.Count(log.String(), "level=WARN"); n != 3 {
		t.Errorf("%d warnings of three faults:\n%s", n, &log)
	}
	write(t, p, key, now.Add(96*time.Hour), "play.example", "*.games.example")
	f.Look()
	ends(now.Add(96 * time.Hour))
}

func TestHandshakesGetTheCertificateOfTheirName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	site, site2, projects := pairIn(dir, "site"), pairIn(dir, "site2"), pairIn(dir, "projects")
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	expect.OK(t, err)
	write(t, site, rsaKey, now.Add(time.Hour), "play.example")
	write(t, site2, newKey(t), now.Add(time.Hour), "play.example")
	write(t, projects, newKey(t), now.Add(time.Hour), "*.games.example")
	f, err := open(site, site2, projects)
	expect.OK(t, err)
	for name, want := range map[string]string{
		"play.example": "play.example", "": "play.example", "marbles.games.example": "*.games.example", "MARBLES--v1-abc.games.example": "*.games.example",
		"a.b.games.example": "", "elsewhere.example": "", "games.example": "", "192.0.2.1": "",
	} {
		c, err := f.Certificate(&tls.ClientHelloInfo{ServerName: name})
		got := ""
		if c != nil {
			got = c.Leaf.DNSNames[0]
		}
		if err != nil || got != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	modern := &tls.ClientHelloInfo{
		ServerName: "play.example", SupportedVersions: []uint16{tls.VersionTLS13}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		SupportedCurves: []tls.CurveID{tls.CurveP256},
	}
	if c, _ := f.Certificate(modern); c == nil || c.Leaf.PublicKeyAlgorithm != x509.ECDSA {
		t.Error("a client that knows ECDSA alone gets another pair")
	}
}
