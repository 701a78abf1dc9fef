//go:build unix

package hook

import (
	"os/exec"
	"syscall"
)

// endWhole makes the end of a command's context end everything that the command has started.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endRest ends the processes that a command has left behind in its group.
func endRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // most leave nothing
	}
}
