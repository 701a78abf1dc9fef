//go:build !linux

package front

// direct returns a writer that writes as c does.
func direct(c *socket) *directWriter { return &directWriter{c} }

// A directWriter writes by the connection's own method.
type directWriter struct{ c *socket }

// writeBoth writes head and body, and returns the number of bytes that the system has accepted.
func (d *directWriter) writeBoth(head, body []byte, _ bool) (int, error) {
	return d.c.writePlain(head, body)
}
