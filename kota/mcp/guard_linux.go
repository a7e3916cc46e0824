package mcp

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel kill a command when the thread that started it ends.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
