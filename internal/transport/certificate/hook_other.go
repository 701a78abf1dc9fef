//go:build !unix

package certificate

import "os/exec"

// endWhole leaves the end of the command alone to its context.
func endWhole(*exec.Cmd) {}
