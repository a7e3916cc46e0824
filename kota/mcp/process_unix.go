//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks a command and what it started to end.
func endGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }

// killGroup ends a command and what it started.
func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// signalGroup signals a group that startProcess made.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil && cmd.Process.Pid > 1 {
		_ = syscall.Kill(-cmd.Process.Pid, s)
	}
}

// killOwnGroup ends the group that this process leads, itself included. When it
// leads none, only the command is ended.
func killOwnGroup(cmd *exec.Cmd) {
	if syscall.Getpgrp() == syscall.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
	_ = cmd.Process.Kill()
}
