//go:build !unix

package mcp

import "os/exec"

// Without process groups only the command itself is ended.
func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}

func killOwnGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
