package main

import (
	"fmt"
	"net"
)

// resolve returns the one address of a flag's HOST:PORT, so that its reach is known before anything listens. A nil IP
// stands for every address.
func resolve(flag, hostport string) (at *net.TCPAddr, err error) {
	if _, _, err = net.SplitHostPort(hostport); err == nil {
		at, err = net.ResolveTCPAddr("tcp", hostport)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %q is not HOST:PORT of this machine, such as 127.0.0.1:8080: %w", flag, hostport, err)
	}
	return at, nil
}

// sameListener reports whether two addresses cannot be listened on at once.
func sameListener(a, b *net.TCPAddr) bool {
	if a.Port != b.Port || a.Port == 0 {
		return false
	}
	every := func(a *net.TCPAddr) bool { return a.IP == nil || a.IP.IsUnspecified() }
	return every(a) || every(b) || a.IP.Equal(b.IP)
}
