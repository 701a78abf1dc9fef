package foreign

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// strange returns a server with a certificate, and a Fetcher that may reach it.
func strange(t *testing.T, answer http.HandlerFunc) (*httptest.Server, *Fetcher) {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	f := New("Sandlot/1.2.3")
	f.may = netip.Addr.IsLoopback
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	f.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = roots
	return server, f
}

func typed(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(body))
	}
}

func TestADocumentIsReadWithoutAnythingOfOurs(t *testing.T) {
	var got *http.Request
	server, f := strange(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("Set-Cookie", "a=b")
		typed("application/json; charset=utf-8", `{"a":1}`)(w, r)
	})
	for range 2 {
		text, err := f.Document(t.Context(), server.URL+"/client.json?x=1")
		expect.OK(t, err)
		expect.Equal(t, "the document", string(text), `{"a":1}`)
	}
	got.Header.Del("Connection")
	expect.Same(t, "the header", got.Header, http.Header{"User-Agent": {"Sandlot/1.2.3"}, "Accept": {"application/json"}})
	expect.Equal(t, "the address", got.RequestURI, "/client.json?x=1")
}

func TestOtherAnswersAreRefused(t *testing.T) {
	const json = "application/json"
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				t.Error("a redirect was followed")
			}
			http.Redirect(w, r, "/other", http.StatusFound)
		}, "302"},
		"an error":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, "404"},
		"another type":  {typed("text/html", "{}"), "type"},
		"no type":       {typed("", "{}"), "type"},
		"64 KiB":        {typed("application/client+json", `"`+strings.Repeat("x", maxAnswer-2)+`"`), ""},
		"a byte more":   {typed(json, `"`+strings.Repeat("x", maxAnswer-1)+`"`), "64 KiB"},
		"a long header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", maxHeader)) }, "reached"},
		"half": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			typed(json, "{")(w, r)
		}, "broke off"},
	} {
		server, f := strange(t, tc.answer)
		_, err := f.Document(t.Context(), server.URL+"/")
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnEndlessAnswerIsLeft after its first 64 KiB, however it is packed.
func TestAnEndlessAnswerIsLeft(t *testing.T) {
	left := make(chan struct{})
	server, f := strange(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				break
			}
		}
		close(left)
	})
	_, err := f.Document(t.Context(), server.URL)
	expect.Is(t, "the answer", err, errLarge)
	<-left
}

func TestOnlyHTTPSWithAValidCertificateIsRead(t *testing.T) {
	server, f := strange(t, typed("application/json", "{}"))
	for address, want := range map[string]error{
		strings.Replace(server.URL, "https", "http", 1):            errAddress,
		strings.Replace(server.URL, "https://", "https://u:p@", 1): errAddress,
		"file:///etc/passwd": errAddress, "": errAddress, "https://%zz/": errAddress, "https://": errReach,
	} {
		_, err := f.Document(t.Context(), address)
		expect.Is(t, address, err, want)
	}
	f.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = x509.NewCertPool()
	_, err := f.Document(t.Context(), server.URL)
	expect.Contains(t, "the error", fmt.Sprint(err), "no valid certificate")
}

// TestNothingOfThisMachineIsReached: the rule holds for the address that is dialled, so that the name does not matter.
func TestNothingOfThisMachineIsReached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	defer l.Close()
	var reached atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:"+port)
	f := New("Sandlot")
	for _, host := range []string{
		"localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "[::]", "localhost.", "10.0.0.1",
		"169.254.169.254", "[64:ff9b::7f00:1]", "nothing.invalid",
	} {
		_, err := f.Document(t.Context(), "https://"+host+":"+port+"/client.json")
		expect.Is(t, host, err, errReach)
	}
	expect.Equal(t, "connections", reached.Load(), 0)
}

func TestASlowAnswerEndsWithItsTime(t *testing.T) {
	server, f := strange(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	f.within = 20 * time.Millisecond
	_, err := f.Document(t.Context(), server.URL)
	expect.Is(t, "the error", err, errSlow)
}

func TestPublicAddresses(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1", "64:ff9b::101:101"} {
		if !Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
		"255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1",
		"fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "2001::1", "2001:db8::1", "2002:a00:1::", "2002:101:101::", "3fff::1",
	} {
		if Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}
