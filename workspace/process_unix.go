//go:build unix

package workspace

import (
	"os/exec"
	"syscall"
)

// OwnGroup has a process killed with its children.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
