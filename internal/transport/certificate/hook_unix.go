//go:build unix

package certificate

import (
	"os/exec"
	"syscall"
)

// endWhole makes the end of a command's context end everything that the command has started.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
