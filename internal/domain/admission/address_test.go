package admission

import (
	"net/netip"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestTheClientsAddress(t *testing.T) {
	trusted, err := ParseProxies("127.0.0.1, 10.0.0.0/8 2001:db8:1::/48")
	expect.OK(t, err)
	for _, tc := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"nothing is told", "127.0.0.1:1", nil, "127.0.0.1"},
		{"a proxy tells", "127.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a peer that is not trusted is not believed", "198.51.100.1:1", []string{"203.0.113.9"}, "198.51.100.1"},
		{"the right-most that is not trusted", "127.0.0.1:1", []string{"1.1.1.1, 203.0.113.9, 10.1.2.3"}, "203.0.113.9"},
		{"what the client wrote itself stays left", "127.0.0.1:1", []string{"127.0.0.1", "10.0.0.1, 203.0.113.9"}, "203.0.113.9"},
		{"garbage of the client", "127.0.0.1:1", []string{"<script>,,,", "203.0.113.9"}, "203.0.113.9"},
		{"garbage of a proxy hides the client", "127.0.0.1:1", []string{"203.0.113.9, unknown, 10.0.0.2"}, "nobody"},
		{"an empty header hides the client", "127.0.0.1:1", []string{""}, "nobody"},
		{"words hide the client", "127.0.0.1:1", []string{"unknown"}, "nobody"},
		{"all are trusted", "127.0.0.1:1", []string{"10.0.0.7, 10.0.0.2"}, "10.0.0.7"},
		{"with a port", "127.0.0.1:1", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		{"IPv6", "[2001:db8:1::5]:1", []string{"2001:db8:2::7"}, "2001:db8:2::7"},
		{"IPv6 with a port", "127.0.0.1:1", []string{"[2001:db8:2::7]:4711"}, "2001:db8:2::7"},
		{"IPv4 in IPv6", "[::ffff:127.0.0.1]:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"a zone is dropped", "127.0.0.1:1", []string{"fe80::1%eth0"}, "fe80::1"},
		{"brackets that are not closed", "127.0.0.1:1", []string{"[2001:db8:2::7"}, "nobody"},
		{"words behind the brackets", "127.0.0.1:1", []string{"[2001:db8:2::7]x"}, "nobody"},
		{"a port that is none", "127.0.0.1:1", []string{"203.0.113.9:<script>"}, "nobody"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := "nobody"
			if a, ok := trusted.Client(Peer(tc.peer), tc.forwarded); ok {
				got = a.String()
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestLocalAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1": true, "127.8.9.1": true, "::1": true, "10.1.2.3": true, "192.168.0.1": true, "172.16.0.1": true, "fd00::1": true,
		"fe80::1": true, "169.254.1.1": true, "8.8.8.8": false, "172.32.0.1": false, "2001:db8::1": false, "100.64.0.1": false, "0.0.0.0": false,
	} {
		expect.Equal(t, text, Local(netip.MustParseAddr(text)), want)
	}
	if Local(Peer("@")) {
		t.Error("what has no address is not local")
	}
}
