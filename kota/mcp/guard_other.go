//go:build !linux

package mcp

import "os/exec"

// dieWithParent does nothing: only Linux supports it.
func dieWithParent(*exec.Cmd) {}
