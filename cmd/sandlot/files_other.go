//go:build !linux && !darwin

package main

// openFiles returns 0: the number is unknown on this system.
func openFiles() int { return 0 }

// folderOwner returns no owner: it is unknown on this system.
func folderOwner(string) (uid int, known bool) { return 0, false }
