package repo

import "syscall"

// withParent has a process end when the thread that started it does, as when this process
// is killed.
func withParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
