package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/listen"
)

// resolve returns the one address of a flag's HOST:PORT or unix:PATH, so that its reach is known before anything listens.
// A nil IP stands for every address.
func resolve(flag, text string) (net.Addr, error) {
	if at, err := listen.ParseUnix(text); at != nil || err != nil {
		if err != nil {
			return nil, fmt.Errorf("%s %q %w", flag, text, err)
		}
		return at, nil
	}
	var at *net.TCPAddr
	_, _, err := net.SplitHostPort(text)
	if err == nil {
		at, err = net.ResolveTCPAddr("tcp", text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %q is not HOST:PORT of this machine, such as 127.0.0.1:8080, nor unix:PATH: %w", flag, text, err)
	}
	return at, nil
}

// listenOn listens on an address of a flag.
func listenOn(flag string, at net.Addr) (l net.Listener, err error) {
	if path, ok := at.(*net.UnixAddr); ok {
		l, err = listen.Unix(path)
	} else {
		l, err = net.Listen("tcp", at.String())
	}
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("cannot listen on %s: %w (choose another address with %s)", at, err, flag)
	}
	return l, nil
}

// sameListener reports whether two addresses cannot be listened on at once.
func sameListener(a, b net.Addr) bool {
	x, first := a.(*net.TCPAddr)
	y, second := b.(*net.TCPAddr)
	if !first || !second {
		return a.Network() == b.Network() && a.String() == b.String()
	}
	if x.Port != y.Port || x.Port == 0 {
		return false
	}
	every := func(a *net.TCPAddr) bool { return a.IP == nil || a.IP.IsUnspecified() }
	return every(x) || every(y) || x.IP.Equal(y.IP)
}

// loopback reports whether only this machine reaches an address.
func loopback(a net.Addr) bool {
	at, ok := a.(*net.TCPAddr)
	return !ok || at.IP != nil && at.IP.IsLoopback()
}

// strangersReach reports whether an address is neither on this machine nor in a private network.
func strangersReach(a net.Addr) bool {
	at, ok := a.(*net.TCPAddr)
	if !ok {
		return false
	}
	ip, ok := netip.AddrFromSlice(at.IP)
	return !ok || !admission.Local(ip.Unmap())
}
