//go:build !linux

package front

import "net"

// canRead reports whether readOnce can be used here: elsewhere net/http serves every connection.
const canRead = false

// readOnce is never called.
func (c *conn) readOnce(uintptr) bool { return true }

// A directWriter writes by the connection's own method.
type directWriter struct{ c *socket }

func direct(c *socket) *directWriter { return &directWriter{c} }

func (d *directWriter) writeBoth(head, body []byte, _ bool) (int, error) {
	return d.c.writePlain(head, body)
}

// unsent returns 0: the number is unknown on this system.
func unsent(net.Conn) int64 { return 0 }
