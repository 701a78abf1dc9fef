package doctor

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Site is the public side of an instance.
type Site struct {
	Base    *url.URL
	Content string // HOST[:PORT] under which projects are; empty: none
	Label   string // a random name under Content that is no project's
	Secret  []byte
	Now     func() time.Time
	Roots   *x509.CertPool // nil: those of the system
	// Resolve returns the addresses of a name.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
}

// most is the largest number of addresses of a name that are tried.
const most = 6

// Check examines the path of a request to the instance: the addresses of its names, certificates, and the proxy.
func (s Site) Check() Check { return Check{"names", s.check} }

func (s Site) check(ctx context.Context) []Finding {
	base := s.Base.Host
	reached, all := s.reach(ctx, "the base host", base)
	if s.Content != "" {
		projects := "a name under the content host (" + hostname(s.Content) + ")"
		_, found := s.reach(ctx, projects, s.Label+"."+s.Content)
		all = append(all, found...)
	}
	if !reached.IsValid() {
		return append(all, about("proxy", skipped("what it passes on is not known until the base host leads here"))...)
	}
	return append(all, s.proxy(ctx, request{host: base, at: reached})...)
}

// reach sends a request to every address of a host, and returns an address of this instance.
func (s Site) reach(ctx context.Context, what, host string) (at netip.Addr, all []Finding) {
	name := hostname(host)
	list, err := s.Resolve(ctx, name)
	if err != nil || len(list) == 0 {
		record := name
		if what != "the base host" {
			record = "*." + hostname(s.Content)
		}
		return at, []Finding{bad(what+" does not resolve: "+name,
			"Add an A record (and AAAA, if this machine has IPv6) for "+record+" with the address of this machine or its proxy.")}
	}
	for _, a := range list[:min(len(list), most)] {
		got, err := s.ask(ctx, request{host: host, at: a})
		if got.certs != nil && s.Base.Scheme == "https" {
			all = append(all, about("tls", s.certificate(name, a, got.certs))...)
		}
		switch {
		case err != nil:
			all = append(all, bad(fmt.Sprintf("%s, %s, does not lead here: at %s %s", what, name, a, got.elsewhere(err)),
				"Point the name at this machine or its proxy, and the proxy at the address of --listen; remove an AAAA record that leads "+
					"elsewhere. If visitors do get here, run this where the name can be reached."))
		case !sameName(got.seen.Host, host):
			all = append(all, about("proxy", bad(fmt.Sprintf("the proxy sends Host %q on for %s", got.seen.Host, name),
				"Pass it on unchanged: nginx: proxy_set_header Host $host; HAProxy and Caddy do by themselves."))...)
			at = a
		default:
			all = append(all, good(fmt.Sprintf("%s, %s, leads here at %s", what, name, a)))
			at = a
		}
	}
	return at, all
}

// soon is the part of a certificate's life, and its most, in which it should have been renewed.
const (
	soonShare = 5
	soonMost  = 14 * 24 * time.Hour
)

// certificate judges the certificate of a server.
func (s Site) certificate(name string, at netip.Addr, certs []*x509.Certificate) Finding {
	leaf, between := certs[0], x509.NewCertPool()
	for _, c := range certs[1:] {
		between.AddCert(c)
	}
	where := fmt.Sprintf("the certificate of %s at %s", name, at)
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: s.Roots, Intermediates: between, CurrentTime: s.Now()})
	ends := leaf.NotAfter.UTC().Format(time.DateOnly)
	left := leaf.NotAfter.Sub(s.Now())
	switch {
	case err != nil:
		return bad(fmt.Sprintf("%s is not valid: %s", where, strings.TrimPrefix(err.Error(), "x509: ")),
			"Order one for the base host and, as a wildcard, for *. the content host, with the whole chain, and reload the server that has it.")
	case left < min(soonMost, leaf.NotAfter.Sub(leaf.NotBefore)/soonShare):
		return bad(fmt.Sprintf("%s ends soon, on %s", where, ends), "Renew it now, and see why it was not renewed by itself.")
	}
	return good(fmt.Sprintf("%s fits, until %s", where, ends))
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// sameName compares hosts without ports, as the service does.
func sameName(a, b string) bool { return strings.EqualFold(hostname(a), hostname(b)) }

// Resolver returns the addresses of names as the system knows them, and those of localhost and names under it as
// browsers do.
func Resolver(ctx context.Context, name string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{ip}, nil
	}
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	list, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	for i := range list {
		list[i] = list[i].Unmap()
	}
	slices.SortFunc(list, netip.Addr.Compare)
	return slices.Compact(list), err
}
