//go:build !unix

package front

// canRead reports whether readOnce can be used here: elsewhere every connection is
// net/http's.
const canRead = false

// readOnce is never called.
func (c *conn) readOnce(uintptr) bool { return true }
