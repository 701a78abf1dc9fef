//go:build unix

package testenv

import (
	"net"
	"strconv"
	"syscall"
	"testing"
)

// Port returns an address of this machine, 127.0.0.1 and a port, that refuses connections. Until the test ends nobody gets the port who
// does not ask for it by its number: a server that asks can come and go there.
func Port(tb testing.TB) (address string) {
	tb.Helper()
	// Bound, but listening to nobody. Go's listeners have SO_REUSEADDR, too, with which two may have a port of which at most one listens.
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		tb.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	tb.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		tb.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		tb.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		tb.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(name.(*syscall.SockaddrInet4).Port))
}
