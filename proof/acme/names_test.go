package acme

import (
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// tsig is the key by which records are changed, in the form of tsig-keygen.
const (
	tsigName   = "sandlot."
	tsigSecret = "c2FuZGxvdC10ZXN0LWtleS0wMTIzNDU2Nzg5"
	tsigKey    = `key "sandlot" { algorithm hmac-sha256; secret "` + tsigSecret + `"; };`
)

// zones are those that the name server has.
var zones = []string{"sandlot.test.", "games.test."}

// A nameserver answers for the zones: every name leads to this machine.
type nameserver struct {
	addr string
	file string      // where a hook writes its records, a line each: NAME VALUE
	away atomic.Bool // it answers that it cannot answer

	mu      sync.Mutex
	records map[string][]string // of TXT, by name
}

// serveNames runs a name server until the test ends.
func serveNames(t *testing.T) *nameserver {
	t.Helper()
	n := &nameserver{records: map[string][]string{}, file: t.TempDir() + "/records"}
	for range 10 { // the port must be free for both
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		udp, err := net.ListenPacket("udp", tcp.Addr().String())
		if err != nil {
			tcp.Close()
			continue
		}
		n.addr = tcp.Addr().String()
		secrets := map[string]string{tsigName: tsigSecret}
		accept := func(dns.Header) dns.MsgAcceptAction { return dns.MsgAccept } // updates as well
		for _, s := range []*dns.Server{
			{Listener: tcp, Handler: n, TsigSecret: secrets, MsgAcceptFunc: accept}, {PacketConn: udp, Handler: n},
		} {
			begun := make(chan struct{})
			s.NotifyStartedFunc = func() { close(begun) }
			go func() { _ = s.ActivateAndServe() }()
			<-begun
			t.Cleanup(func() { _ = s.Shutdown() })
		}
		return n
	}
	t.Fatal("no port is free for TCP and UDP")
	return nil
}

// ServeDNS implements dns.Handler.
func (n *nameserver) ServeDNS(w dns.ResponseWriter, r *dns.Msg) {
	m := new(dns.Msg).SetReply(r)
	m.Authoritative = true
	switch {
	case n.away.Load():
		m.Rcode = dns.RcodeServerFailure
	case r.Opcode == dns.OpcodeUpdate && (r.IsTsig() == nil || w.TsigStatus() != nil):
		m.Rcode = dns.RcodeRefused
	case r.Opcode == dns.OpcodeUpdate:
		n.update(r.Ns)
		m.SetTsig(tsigName, dns.HmacSHA256, 300, int64(r.IsTsig().TimeSigned))
	case len(r.Question) == 1:
		n.answer(m, strings.ToLower(r.Question[0].Name), r.Question[0].Qtype)
	}
	_ = w.WriteMsg(m) // its client may have left
}

// update adds and deletes TXT records (RFC 2136, 2.5).
func (n *nameserver) update(changes []dns.RR) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, rr := range changes {
		txt, ok := rr.(*dns.TXT)
		if !ok {
			continue
		}
		name, value := strings.ToLower(txt.Hdr.Name), strings.Join(txt.Txt, "")
		if txt.Hdr.Class == dns.ClassNONE {
			n.records[name] = without(n.records[name], value)
		} else {
			n.records[name] = append(n.records[name], value)
		}
	}
}

func without(values []string, value string) (rest []string) {
	for _, v := range values {
		if v != value {
			rest = append(rest, v)
		}
	}
	return rest
}

// left returns the number of TXT records.
func (n *nameserver) left(t *testing.T) (count int) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, values := range n.records {
		count += len(values)
	}
	text, err := os.ReadFile(n.file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return count + strings.Count(string(text), "\n")
}

func (n *nameserver) answer(m *dns.Msg, name string, kind uint16) {
	apex := ""
	for _, zone := range zones {
		if dns.IsSubDomain(zone, name) {
			apex = zone
		}
	}
	head := func(kind uint16) dns.RR_Header {
		return dns.RR_Header{Name: name, Rrtype: kind, Class: dns.ClassINET, Ttl: 1}
	}
	switch {
	case apex == "":
		m.Rcode = dns.RcodeNameError
	case kind == dns.TypeA:
		m.Answer = append(m.Answer, &dns.A{Hdr: head(kind), A: net.IPv4(127, 0, 0, 1)})
	case kind == dns.TypeTXT:
		for _, value := range n.values(name) {
			m.Answer = append(m.Answer, &dns.TXT{Hdr: head(kind), Txt: []string{value}})
		}
	case kind == dns.TypeSOA && name == apex:
		m.Answer = append(m.Answer, &dns.SOA{Hdr: head(kind), Ns: "ns." + apex, Mbox: "root." + apex, Serial: 1, Refresh: 1, Retry: 1, Expire: 1, Minttl: 1})
	}
}

// values returns the values of the TXT records with a name.
func (n *nameserver) values(name string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	values := n.records[name]
	text, _ := os.ReadFile(n.file) // there is none before the hook was called
	for line := range strings.Lines(string(text)) {
		if of, value, _ := strings.Cut(strings.TrimSpace(line), " "); of == name {
			values = append(values, value)
		}
	}
	return values
}

// hook returns a command that sets the records of the server, as an operator would write it.
func (n *nameserver) hook(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/hook"
	text := "#!/bin/sh\nset -e\ncase $1 in\npresent) echo \"$2 $3\" >>" + n.file + " ;;\n" +
		"cleanup) grep -vxF \"$2 $3\" " + n.file + " >" + n.file + ".new || true; mv " + n.file + ".new " + n.file + " ;;\nesac\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
