//go:build !unix

package mcp

import "os/exec"

// ownGroup does nothing: without process groups only the command itself is killed.
func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}

func killOwnGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
