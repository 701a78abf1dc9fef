//go:build unix

package testenv

import (
	"net"
	"testing"
)

// TestPort has a server come to a port and go twice, while others take ports of the system's choice.
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
	// More than there are ports of the system's choice cannot be held, but some thousand of 28,000 show one that is chosen at random.
	for range 4000 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if l.Addr().String() == address {
			t.Fatal("another server got the port")
		}
	}
}
