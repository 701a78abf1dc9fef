//go:build !unix

package listen

import "os"

// accepts is never called: no other system passes sockets.
func accepts(*os.File) bool { return false }
