package lists

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// dnsTime is the longest time of one look-up.
const dnsTime = 15 * time.Second

// DNS is a list of domains in the DNS, such as dbl.spamhaus.org: a name below its zone has an address if it is listed. It
// may be used concurrently.
type DNS struct {
	zone     string
	resolver *net.Resolver
}

// NewDNS returns the list in a zone, asked of the DNS server at HOST:PORT; empty: of the system's.
func NewDNS(zone, server string) *DNS {
	d := &DNS{zone, &net.Resolver{PreferGo: true}}
	if server != "" {
		d.resolver.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server)
		}
	}
	return d
}

// Name implements listed.List.
func (d *DNS) Name() string { return d.zone }

// Look implements listed.List by a query for each host. It ends with the first error.
func (d *DNS) Look(ctx context.Context, hosts []string) (map[string]bool, error) {
	return oneByOne(ctx, hosts, d.host)
}

func (d *DNS) host(ctx context.Context, host string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, dnsTime)
	defer cancel()
	answers, err := d.resolver.LookupNetIP(ctx, "ip4", host+"."+d.zone+".")
	if missing := new(net.DNSError); errors.As(err, &missing) && missing.IsNotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up %s: %w", host, err)
	}
	for _, a := range answers {
		if err := refused(a.Unmap()); err != nil {
			return false, err
		}
	}
	return len(answers) > 0, nil
}

var (
	loopback = netip.MustParsePrefix("127.0.0.0/8")
	errors24 = netip.MustParsePrefix("127.255.255.0/24")
	errorOne = netip.MustParseAddr("127.0.0.1")
)

// refused returns the error that an answer stands for. Lists answer by loopback addresses; those of 127.255.255.0/24, and
// 127.0.0.1, say that the query was not allowed, as lists do to the resolvers of large networks. Any other address is of a
// resolver that invents answers.
func refused(a netip.Addr) error {
	switch {
	case errors24.Contains(a) || a == errorOne:
		return fmt.Errorf("it answered %s, which refuses the query: set --dns-resolver to a resolver of your own", a)
	case !loopback.Contains(a):
		return fmt.Errorf("the resolver answered %s, which is no answer of a list: set --dns-resolver to another", a)
	}
	return nil
}
