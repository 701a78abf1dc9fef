//go:build !linux

package front

// direct returns a writer that writes as c does.
func direct(c *socket) *directWriter { return &directWriter{c} }

type directWriter struct{ c *socket }

func (d *directWriter) writeBoth(head, body []byte, _ bool) (int, error) {
	return d.c.writePlain(head, body)
}
