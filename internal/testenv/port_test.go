//go:build unix

package testenv

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// TestPort has a server come to a port and go twice, and another that would have it for itself.
func TestPort(t *testing.T) {
	address := Port(t)
	for range 2 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			t.Fatal("somebody listens")
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
	// Whoever has a port of the system's choice gets none that this is refused.
	alone := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		refused := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0) })
		return errors.Join(refused, err)
	}}
	if l, err := alone.Listen(t.Context(), "tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("the port is not held: %v, %v", l, err)
	}
}
