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
		name, peer     string
		for_, forwards []string
		want           string
	}{
		{"nothing is told", "127.0.0.1:1", nil, nil, "127.0.0.1"},
		{"a proxy tells", "127.0.0.1:1", []string{"203.0.113.9"}, nil, "203.0.113.9"},
		{"a peer that is not trusted is not believed", "198.51.100.1:1", []string{"203.0.113.9"}, []string{"for=203.0.113.9"}, "198.51.100.1"},
		{"the right-most that is not trusted", "127.0.0.1:1", []string{"1.1.1.1, 203.0.113.9, 10.1.2.3"}, nil, "203.0.113.9"},
		{"what the client wrote itself stays left", "127.0.0.1:1", []string{"127.0.0.1", "10.0.0.1, 203.0.113.9"}, nil, "203.0.113.9"},
		{"garbage of the client", "127.0.0.1:1", []string{"<script>,,,", "203.0.113.9"}, nil, "203.0.113.9"},
		{"garbage of a proxy hides the client", "127.0.0.1:1", []string{"203.0.113.9, unknown, 10.0.0.2"}, nil, "nobody"},
		{"an empty header hides the client", "127.0.0.1:1", []string{""}, nil, "nobody"},
		{"words hide the client", "127.0.0.1:1", []string{"unknown"}, nil, "nobody"},
		{"all are trusted", "127.0.0.1:1", []string{"10.0.0.7, 10.0.0.2"}, nil, "10.0.0.7"},
		{"with a port", "127.0.0.1:1", []string{"203.0.113.9:4711"}, nil, "203.0.113.9"},
		{"IPv6", "[2001:db8:1::5]:1", []string{"2001:db8:2::7"}, nil, "2001:db8:2::7"},
		{"IPv6 with a port", "127.0.0.1:1", []string{"[2001:db8:2::7]:4711"}, nil, "2001:db8:2::7"},
		{"IPv4 in IPv6", "[::ffff:127.0.0.1]:1", []string{"::ffff:203.0.113.9"}, nil, "203.0.113.9"},
		{"a zone is dropped", "127.0.0.1:1", []string{"fe80::1%eth0"}, nil, "fe80::1"},
		{"Forwarded", "127.0.0.1:1", nil, []string{`for=1.1.1.1;proto=https, For="[2001:db8:2::7]:47";by=x`}, "2001:db8:2::7"},
		{"Forwarded that hides", "127.0.0.1:1", nil, []string{"for=_hidden"}, "nobody"},
		{"Forwarded with a hidden port", "127.0.0.1:1", nil, []string{`for="[2001:db8:2::7]:_port"`}, "2001:db8:2::7"},
		{"Forwarded without for", "127.0.0.1:1", nil, []string{"proto=https"}, "nobody"},
		{"brackets that are not closed", "127.0.0.1:1", []string{"[2001:db8:2::7"}, nil, "nobody"},
		{"words behind the brackets", "127.0.0.1:1", []string{"[2001:db8:2::7]x"}, nil, "nobody"},
		{"a port that is none", "127.0.0.1:1", []string{"203.0.113.9:<script>"}, nil, "nobody"},
		{"X-Forwarded-For comes first", "127.0.0.1:1", []string{"203.0.113.9"}, []string{"for=1.1.1.1"}, "203.0.113.9"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := "nobody"
			if a, ok := trusted.Client(Peer(tc.peer), tc.for_, tc.forwards); ok {
				got = a.String()
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestProxiesThatCannotBeMeant(t *testing.T) {
	for _, text := range []string{"proxy.example.com", "10.0.0.0/33", "10.0.0.1:80", "::ffff:10.0.0.1", "fe80::1%eth0"} {
		if _, err := ParseProxies(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	if list, err := ParseProxies(""); err != nil || len(list) > 0 {
		t.Errorf("no proxies: %v, %v", list, err)
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

func TestWhoHasNoLimits(t *testing.T) {
	for text, want := range map[string][2]bool{ // where everybody comes, and where only this network does
		"127.0.0.1": {true, true}, "::1": {true, true}, "10.1.2.3": {false, true}, "fd00::1": {false, true}, "172.17.0.1": {false, true}, "203.0.113.1": {false, false},
	} {
		a := netip.MustParseAddr(text)
		expect.Equal(t, text, [2]bool{Exempt(a, true), Exempt(a, false)}, want)
	}
	if Exempt(netip.Addr{}, false) {
		t.Error("a client that nobody knows has no limits")
	}
}

func TestOneClientIsAnIPv4AddressOrASixtyFour(t *testing.T) {
	same := func(a, b string) bool { return Group(netip.MustParseAddr(a)) == Group(netip.MustParseAddr(b)) }
	if !same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9") || same("2001:db8:1:2::1", "2001:db8:1:3::1") || same("192.0.2.1", "192.0.2.2") {
		t.Error("the groups are wrong")
	}
}
