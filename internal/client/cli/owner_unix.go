//go:build unix

package cli

import (
	"os"
	"syscall"
)

// sameOwner reports whether two folders belong to the same person.
func sameOwner(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil {
		return false
	}
	s, okS := x.Sys().(*syscall.Stat_t)
	t, okT := y.Sys().(*syscall.Stat_t)
	return okS && okT && s.Uid == t.Uid
}
