package mcp

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel end a command with the thread that starts it.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
