//go:build unix

package repo

import (
	"errors"
	"os/exec"
	"syscall"
)

// OwnGroup has a process killed with its children when its context ends: it leads a group
// of its own. A terminal's Ctrl-C does not reach it then; the context has to.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) { // it is only just starting
			return cmd.Process.Kill()
		}
		return err
	}
	withParent(cmd.SysProcAttr)
}
