package acme

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// An authority issues certificates, and counts the orders.
type authority struct {
	directory string
	known     string         // file with the certificate of its own server
	pool      *x509.CertPool // the same
	roots     *x509.CertPool // of the certificates that it issues
	orders    atomic.Int64
}

// ports are where the service is asked for proofs.
type ports struct{ http, tls string }

func newPorts(t *testing.T) ports {
	t.Helper()
	return ports{testenv.Port(t), testenv.Port(t)}
}

// authorize runs an authority until the test ends. Its certificates are valid for so many seconds; 0: 90 days.
func authorize(t *testing.T, names *nameserver, at ports, validity uint64) *authority {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: validity}})
	proofs := va.New(quiet, port(t, at.http), port(t, at.tls), false, names.addr, store)
	front := wfe.New(quiet, store, proofs, issuer, []string{"pebble.test"}, false, false, 0, 0)
	a := &authority{roots: x509.NewCertPool(), pool: x509.NewCertPool()}
	handler := front.Handler()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/order-plz") {
			a.orders.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	a.directory = server.URL + wfe.DirectoryPath
	a.known = filepath.Join(t.TempDir(), "authority.pem")
	a.pool.AddCert(server.Certificate())
	expect.OK(t, os.WriteFile(a.known, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	a.roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	return a
}

func port(t *testing.T, addr string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(addr)
	expect.OK(t, err)
	n, err := strconv.Atoi(text)
	expect.OK(t, err)
	return n
}
