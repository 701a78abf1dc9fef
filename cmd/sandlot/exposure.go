package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// lookUpWait is the longest wait for a name server: an operator who starts a service should not wait longer.
const lookUpWait = 10 * time.Second

// lookUp returns the addresses of a host.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, lookUpWait)
	defer cancel()
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// resolve returns the one address of a flag's HOST:PORT, so that its reach is known before anything listens. A nil IP
// stands for every address.
func resolve(ctx context.Context, flag, hostport string, lookUp func(context.Context, string) ([]netip.Addr, error)) (*net.TCPAddr, error) {
	host, service, err := net.SplitHostPort(hostport)
	if err != nil || strings.ContainsAny(host, "/ ") {
		return nil, fmt.Errorf("%s %q is not HOST:PORT, such as 127.0.0.1:8080", flag, hostport)
	}
	port, err := net.LookupPort("tcp", service)
	if err != nil {
		return nil, fmt.Errorf("%s %q has no port from 0 to 65535", flag, hostport)
	}
	if host == "" {
		return &net.TCPAddr{Port: port}, nil
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		found, err := lookUp(ctx, host)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s %q: the host %s is not known here; name an IP address of this machine", flag, hostport, host)
		}
		a = found[0].Unmap()
		for _, other := range found { // as the system chooses for a name
			if other = other.Unmap(); other.Is4() {
				a = other
				break
			}
		}
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(a.Unmap(), uint16(port))), nil
}

// sameListener reports whether two addresses cannot be listened on at once.
func sameListener(a, b *net.TCPAddr) bool {
	if a.Port != b.Port || a.Port == 0 {
		return false
	}
	every := func(a *net.TCPAddr) bool { return a.IP == nil || a.IP.Equal(net.IPv6unspecified) }
	switch {
	case every(a) || every(b), a.IP.Equal(b.IP):
		return true
	case a.IP.Equal(net.IPv4zero):
		return b.IP.To4() != nil
	case b.IP.Equal(net.IPv4zero):
		return a.IP.To4() != nil
	}
	return false
}
