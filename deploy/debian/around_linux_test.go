package debian

import (
	"crypto/tls"
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"golang.org/x/sys/unix"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const zone = `@ 60 SOA ns hostmaster 1 60 60 60 60
@ 60 NS ns
@ 60 A 203.0.113.7
* 60 A 203.0.113.7
ns 60 A 203.0.113.7
`

// The two zones of the page, on a BIND that takes what certbot sends.
const named = `options { directory "/var/cache/bind"; recursion no; listen-on { any; }; };
key sandlot { algorithm hmac-sha256; secret "THEKEYOFYOURPROVIDER"; };
zone "example.com" { type primary; file "/var/lib/bind/example.com"; };
zone "example-content.net" {
	type primary; file "/var/lib/bind/example-content.net";
	update-policy { grant sandlot name _acme-challenge.example-content.net. TXT; };
};
`

const pebble = `{"pebble": {
	"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "httpPort": 80, "tlsPort": 443,
	"certificate": "ROOT/root/local.crt", "privateKey": "ROOT/root/local.key", "profiles": {"default": {"validityPeriod": 7776000}}}}
`

// surround gives the machine what the page takes for granted: a public address, names, an authority for certificates and a mail server.
func (b booted) surround(t *testing.T) *postman {
	t.Helper()
	b.write(t, "/var/lib/bind/example.com", zone)
	b.write(t, "/var/lib/bind/example-content.net", zone)
	b.write(t, "/etc/bind/named.conf", named)
	b.write(t, "/etc/resolv.conf", "nameserver 203.0.113.53\n")
	b.write(t, "/etc/hosts", "127.0.0.1 localhost acme.example\n")
	b.write(t, "/root/.config/letsencrypt/cli.ini", "server = https://acme.example:14000/dir\ndns-rfc2136-propagation-seconds = 1\nno-random-sleep-on-renew = true\n")
	b.paste(t, `ip addr add 203.0.113.7/32 dev lo; ip addr add 203.0.113.53/32 dev lo
chown -R bind /var/lib/bind; systemctl restart named
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout local.key -out local.crt -days 2 \
	-subj '/CN=local' -addext subjectAltName=DNS:acme.example,DNS:mail.example.com
cp local.crt /usr/local/share/ca-certificates/; update-ca-certificates`)
	b.authority(t)
	p := &postman{token: map[string]string{}}
	b.mail(t, p)
	return p
}

// authority runs pebble in the network of the machine, which trusts what it issues.
func (b booted) authority(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-C", "../../proof", "-trimpath", "-buildvcs=false", "-o", dir, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	expect.OK(t, err, string(out))
	settings := filepath.Join(dir, "pebble.json")
	expect.OK(t, os.WriteFile(settings, []byte(strings.ReplaceAll(pebble, "ROOT", b.root)), 0o600))
	cmd := exec.Command("nsenter", "--net=/proc/"+b.leader+"/ns/net", filepath.Join(dir, "pebble"), "-config", settings, "-dnsserver", "203.0.113.53:53")
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	expect.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	testenv.Eventually(t, 30*time.Second, "the authority", func() bool {
		return b.command("curl -sfk https://127.0.0.1:15000/roots/0 -o /usr/local/share/ca-certificates/issued.crt").Run() == nil
	})
	b.paste(t, "update-ca-certificates")
}

var confirming = regexp.MustCompile(`https://example\.com/verify\?token=([\w-]+)`)

// A postman takes mail from those who log in as the page does, and keeps the last token that confirms an address.
type postman struct {
	mu    sync.Mutex
	token map[string]string // by address
}

// confirms returns the token that confirms an address; "" if it has not come.
func (p *postman) confirms(address string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token[address]
}

// mail serves SMTP by TLS in the network of the machine.
func (b booted) mail(t *testing.T, p *postman) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(b.root, "root/local.crt"), filepath.Join(b.root, "root/local.key"))
	expect.OK(t, err)
	l, err := b.listen("203.0.113.7:465")
	expect.OK(t, err)
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &delivery{p: p}, nil }))
	s.Domain = "mail.example.com"
	done := make(chan error, 1)
	go func() { done <- s.Serve(tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}})) }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
}

// listen opens an address in the network of the machine.
func (b booted) listen(address string) (l net.Listener, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread, which is in another network now, ends with the goroutine
		var network *os.File
		if network, err = os.Open("/proc/" + b.leader + "/ns/net"); err != nil {
			return
		}
		defer network.Close()
		if err = unix.Setns(int(network.Fd()), unix.CLONE_NEWNET); err == nil {
			l, err = net.Listen("tcp", address)
		}
	}()
	<-done
	return l, err
}

// A delivery is one connection to a postman.
type delivery struct {
	p     *postman
	known bool
	to    string
}

func (*delivery) AuthMechanisms() []string { return []string{sasl.Plain} }

func (d *delivery) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if d.known = user == "USER" && password == "PASSWORD"; !d.known {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (d *delivery) Reset()      { d.to = "" }
func (*delivery) Logout() error { return nil }
func (d *delivery) Mail(string, *smtp.MailOptions) error {
	if !d.known {
		return errors.New("log in first")
	}
	return nil
}

func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error { d.to = to; return nil }

func (d *delivery) Data(r io.Reader) error {
	text, err := io.ReadAll(quotedprintable.NewReader(r))
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	if link := confirming.FindSubmatch(text); link != nil {
		d.p.token[d.to] = string(link[1])
	}
	return err
}
