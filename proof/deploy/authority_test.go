package deploy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// The names in the files of deploy/.
const (
	website     = "example.com"
	contentHost = "example-content.net"
)

// An authority is a CA of the test's own with one certificate, for the website and for all projects.
type authority struct {
	pool             *x509.CertPool
	root, chain, key string // paths of PEM files
}

// newAuthority makes one. Certificate and key lie in one folder under the names that the files of deploy/ give them.
func newAuthority(t *testing.T) authority {
	t.Helper()
	return newAuthorityFor(t, time.Now().Add(time.Hour), website, "*."+contentHost)
}

// newAuthorityFor is newAuthority with a certificate that ends at that time, for other names.
func newAuthorityFor(t *testing.T, ends time.Time, names ...string) authority {
	t.Helper()
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "local CA"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: ca.NotBefore, NotAfter: ends, DNSNames: names,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.OK(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.OK(t, err)
	root := signed(t, ca, ca, caKey, caKey)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	expect.OK(t, err)
	dir := t.TempDir()
	a := authority{x509.NewCertPool(), filepath.Join(dir, "root.pem"), filepath.Join(dir, "sandlot.crt"), filepath.Join(dir, "sandlot.key")}
	writePEM(t, a.root, "CERTIFICATE", root)
	writePEM(t, a.chain, "CERTIFICATE", signed(t, leaf, ca, key, caKey))
	writePEM(t, a.key, "PRIVATE KEY", private)
	parsed, err := x509.ParseCertificate(root)
	expect.OK(t, err)
	a.pool.AddCert(parsed)
	return a
}

func signed(t *testing.T, c, by *x509.Certificate, key, byKey *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, by, key.Public(), byKey)
	expect.OK(t, err)
	return der
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
