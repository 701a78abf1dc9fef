//go:build !unix

package cli

import "path/filepath"

// sameOwner reports whether two folders belong to the same person: here one folder and its parents on one volume.
func sameOwner(a, b string) bool { return filepath.VolumeName(a) == filepath.VolumeName(b) }
