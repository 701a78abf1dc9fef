//go:build !unix

package front

// canRead reports whether readOnce can be used here: elsewhere net/http serves every connection.
const canRead = false

// readOnce is never called.
func (c *conn) readOnce(uintptr) bool { return true }
