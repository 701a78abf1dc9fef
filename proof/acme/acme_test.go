package acme

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// shake makes a handshake for a name, and returns what the server shows.
func shake(addr, name string, a *authority) (*tls.ConnectionState, error) {
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", addr, &tls.Config{ServerName: name, RootCAs: a.roots})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	state := c.ConnectionState()
	return &state, nil
}

// browser returns a client for which every name leads to the server.
func browser(t *testing.T, at ports, a *authority) *http.Client {
	t.Helper()
	way := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: a.roots}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			to := at.tls
			if strings.HasSuffix(addr, ":80") {
				to = at.http
			}
			return (&net.Dialer{}).DialContext(ctx, network, to)
		},
	}
	t.Cleanup(way.CloseIdleConnections)
	return &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// program returns the arguments of a server that orders certificates, with a command for DNS.
func program(t *testing.T, names *nameserver, at ports, a *authority) []string {
	t.Helper()
	return []string{
		"--tls", "auto", "--listen", at.tls, "--http-listen", at.http,
		"--base-url", "https://play.sandlot.test", "--content-host", "games.test", "--acme-email", "kim@sandlot.test",
		"--acme-directory", a.directory, "--acme-ca-roots", a.known, "--dns", names.hook(t), "--dns-resolvers", names.addr,
	}
}

func TestTheProgramOrdersItsCertificates(t *testing.T) {
	names, at := serveNames(t), newPorts(t)
	a := authorize(t, names, at, 0)
	s := testenv.Start(t, testenv.Binary(t), program(t, names, at, a)...)
	issued := func(name string) {
		t.Helper()
		testenv.Eventually(t, 30*time.Second, "a certificate for "+name, func() bool {
			_, err := shake(at.tls, name, a)
			return err == nil
		})
	}
	issued("play.sandlot.test")
	issued("marbles-abc123.games.test")
	issued("games.test")
	state, err := shake(at.tls, "another-abc123.games.test", a)
	expect.OK(t, err)
	if got := state.PeerCertificates[0].DNSNames; len(got) != 1 || got[0] != "*.games.test" {
		t.Errorf("a project's certificate is for %q", got)
	}
	t.Run("other names are refused in the handshake, and nothing is ordered", func(t *testing.T) {
		for _, name := range []string{"elsewhere.test", "a.b.games.test", "www.play.sandlot.test", "sandlot.test"} {
			if _, err := shake(at.tls, name, a); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := a.orders.Load(); n != 3 {
			t.Errorf("%d orders", n)
		}
	})
	t.Run("browsers speak HTTP/2, and are sent to it from plain HTTP", func(t *testing.T) {
		client := browser(t, at, a)
		res, err := client.Get("https://play.sandlot.test/metrics")
		expect.OK(t, err)
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%s %v", res.Proto, res.Header)
		}
		for _, name := range []string{"play.sandlot.test", "games.test", "*.games.test"} {
			if !strings.Contains(string(text), `sandlot_certificate_not_after_seconds{name="`+name+`"} 1`) {
				t.Errorf("the metrics have no end for %s", name)
			}
		}
		res, err = client.Get("https://marbles-abc123.games.test/")
		expect.OK(t, err)
		res.Body.Close()
		if res.StatusCode != http.StatusNotFound || res.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("a project: %s %v", res.Status, res.Header)
		}
		for url, want := range map[string]string{
			"http://play.sandlot.test/p/x?y=1": "https://play.sandlot.test/p/x?y=1", "http://Marbles.games.test/": "https://marbles.games.test/",
			"http://elsewhere.test/": "", "http://play.sandlot.test/.well-known/acme-challenge/x": "https://play.sandlot.test/.well-known/acme-challenge/x",
		} {
			res, err := client.Get(url)
			expect.OK(t, err)
			res.Body.Close()
			if status := res.StatusCode; res.Header.Get("Location") != want || status != map[bool]int{true: 308, false: 421}[want != ""] {
				t.Errorf("%s: %d to %q", url, status, res.Header.Get("Location"))
			}
		}
	})
	t.Run("what is kept is the service's alone, and the log has no keys", func(t *testing.T) {
		keys := 0
		expect.OK(t, filepath.WalkDir(filepath.Join(s.Data(), "certificates"), func(path string, d fs.DirEntry, err error) error {
			info, ierr := d.Info()
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %s", path, info.Mode())
			}
			if strings.HasSuffix(path, ".key") {
				keys++
			}
			return errors.Join(err, ierr)
		}))
		if keys != 4 { // of the account, and of three certificates
			t.Errorf("%d keys", keys)
		}
		for _, secret := range []string{"PRIVATE KEY", "keyAuth", "_acme-challenge"} {
			if strings.Contains(s.Logs(), secret) {
				t.Errorf("the log has %s", secret)
			}
		}
		if n := names.left(t); n != 0 {
			t.Errorf("%d records are left", n)
		}
	})
	t.Run("a restart orders nothing", func(t *testing.T) {
		expect.OK(t, os.Remove(names.file))
		s.Restart(t)
		for _, name := range []string{"play.sandlot.test", "marbles-abc123.games.test", "games.test"} {
			if _, err := shake(at.tls, name, a); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := a.orders.Load(); n != 3 {
			t.Errorf("%d orders", n)
		}
	})
}
