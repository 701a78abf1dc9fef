package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/sys/unix"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// insideEnv marks a process that is in a network of its own.
const insideEnv = "SANDLOT_TEST_INSIDE"

// inNetworkOfItsOwn runs the test that calls it in a second process that has a network, files of names and a name server of its own, and
// returns nil in the first: so addresses of the internet lead to servers of the test, and nothing leaves the machine.
func inNetworkOfItsOwn(t *testing.T) *internet {
	t.Helper()
	if os.Getenv(insideEnv) == "" {
		outside(t)
		return nil
	}
	return inside(t)
}

func outside(t *testing.T) {
	t.Helper()
	t.Parallel()
	c := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout="+limit.String())
	c.Env = append(os.Environ(), insideEnv+"=1", "SANDLOT_BIN="+testenv.Binary(t))
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	if err != nil && c.Process == nil { // the kernel does not let a process have one
		testenv.Skip(t, "a network of its own")
	}
	if t.Logf("%s", out); err != nil {
		t.Fatal("the test has failed in a network of its own")
	}
}

// An internet has servers and names of the test's own.
type internet struct {
	authority *x509.Certificate
	key       *ecdsa.PrivateKey

	mu    sync.Mutex
	names map[string][][]string // the addresses of each name: those of one answer after those of another, the last for good
	asked map[string]int
}

func inside(t *testing.T) *internet {
	t.Helper()
	n := &internet{names: map[string][][]string{}, asked: map[string]int{}}
	raise(t)
	dir := t.TempDir()
	bind := func(name, text, over string) {
		path := filepath.Join(dir, name)
		expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
		expect.OK(t, unix.Mount(path, over, "", unix.MS_BIND, ""))
	}
	expect.OK(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	bind("hosts", "127.0.0.1 localhost\n", "/etc/hosts")
	bind("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1\n", "/etc/resolv.conf")
	ready := make(chan bool)
	server := &dns.Server{Addr: "127.0.0.1:53", Net: "udp", Handler: n, NotifyStartedFunc: func() { close(ready) }}
	go func() {
		if err := server.ListenAndServe(); err != nil {
			t.Errorf("the name server: %v", err)
		}
	}()
	<-ready
	t.Cleanup(func() { _ = server.Shutdown() })
	n.certify(t, filepath.Join(dir, "authority.pem"))
	return n
}

// raise makes the loopback interface one that has all addresses.
func raise(t *testing.T) {
	t.Helper()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	expect.OK(t, err)
	defer unix.Close(s)
	up, err := unix.NewIfreq("lo")
	expect.OK(t, err)
	up.SetUint16(unix.IFF_UP | unix.IFF_LOOPBACK)
	expect.OK(t, unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, up))
	for i, address := range []string{"8.8.4.4", "9.9.9.9", "10.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1"} {
		r, err := unix.NewIfreq("lo:" + string(rune('1'+i)))
		expect.OK(t, err)
		expect.OK(t, r.SetInet4Addr(net.ParseIP(address).To4()))
		expect.OK(t, unix.IoctlIfreq(s, unix.SIOCSIFADDR, r), address)
	}
}

// ServeDNS implements dns.Handler.
func (n *internet) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	m := new(dns.Msg).SetReply(q)
	n.mu.Lock()
	defer n.mu.Unlock()
	name, kind := q.Question[0].Name, q.Question[0].Qtype
	answers := n.names[name]
	if len(answers) == 0 {
		m.Rcode = dns.RcodeNameError
	} else if kind == dns.TypeA {
		for _, a := range answers[min(n.asked[name], len(answers)-1)] {
			m.Answer = append(m.Answer, &dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.ParseIP(a)})
		}
		n.asked[name]++
	}
	_ = w.WriteMsg(m)
}

// names gives a name these addresses: the ones after others where there are several lists.
func (n *internet) name(name string, answers ...[]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names[name+"."] = answers
}

// certify makes the authority that the program trusts.
func (n *internet) certify(t *testing.T, path string) {
	t.Helper()
	var err error
	n.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.OK(t, err)
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, n.key.Public(), n.key)
	expect.OK(t, err)
	n.authority, err = x509.ParseCertificate(der)
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
	t.Setenv("SSL_CERT_FILE", path)       // for Go
	t.Setenv("NODE_EXTRA_CA_CERTS", path) // for Node
}

// serve serves https at an address, with a certificate of these names, and returns the number of its connections.
func (n *internet) serve(t *testing.T, address string, handler http.Handler, names ...string) *atomic.Int64 {
	t.Helper()
	of := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: names,
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP("10.0.0.1"), net.ParseIP("::1")},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, of, n.authority, n.key.Public(), n.key)
	expect.OK(t, err)
	l, err := net.Listen("tcp", address)
	expect.OK(t, err)
	counted := &counted{Listener: l}
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: n.key}
	server := &http.Server{Handler: handler, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ErrorLog: quiet()}
	go func() { _ = server.ServeTLS(counted, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	return &counted.n
}

// counted counts the connections of a listener.
type counted struct {
	net.Listener
	n atomic.Int64
}

func (c *counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return conn, err
}
