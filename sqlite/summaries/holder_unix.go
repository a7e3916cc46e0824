//go:build unix

package summaries

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// holderOf identifies a running process of this machine, "" for one that does not run: by
// the system, the process id and the start time as far as the system tells. Process ids are
// reused, and mean something else on another machine, after a restart and in a container.
func holderOf(pid int) string {
	place := thisPlace()
	if pid <= 1 || place == "" || !runs(pid) {
		return ""
	}
	return strings.Join([]string{place, strconv.Itoa(pid), startOf(pid)}, " ")
}

// ended reports whether a process that holderOf identified is known to have ended. Nothing
// is known of processes elsewhere.
func ended(holder string) bool {
	f := strings.Split(holder, " ")
	if len(f) != 3 || f[0] == "" || f[0] != thisPlace() {
		return false
	}
	pid, err := strconv.Atoi(f[1])
	return err == nil && pid > 1 && (!runs(pid) || startOf(pid) != f[2])
}

// runs reports whether a process runs. A zombie does not.
func runs(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	state, _ := statOf(pid)
	return state != "Z"
}

// thisPlace identifies the system that assigns process ids: on Linux the boot and the PID
// namespace.
func thisPlace() string {
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		space, err := os.Readlink("/proc/self/ns/pid")
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(boot)) + "/" + space
	}
	name, err := os.Hostname()
	if err != nil || strings.ContainsAny(name, " \n") {
		return ""
	}
	return name
}

// startOf returns when a process was started, in the system's own unit; "" when unknown.
func startOf(pid int) string {
	_, start := statOf(pid)
	return start
}

// statOf reads the state and start time of a process, both "" without /proc.
func statOf(pid int) (state, start string) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", ""
	}
	// The name of the program, in parentheses, may contain anything.
	fields := strings.Fields(string(b)[strings.LastIndexByte(string(b), ')')+1:])
	const starttime = 19 // proc(5) counts it as the 22nd, the state as the third
	if len(fields) <= starttime {
		return "", ""
	}
	return fields[0], fields[starttime]
}
