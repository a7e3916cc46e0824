//go:build unix

package decision

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that this process has used so far.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The bound is on processor time and far above the result of BenchmarkLoad, so other load
// on the machine does not matter.
//
// Holds decisions 22.
func TestReadingLargeLogIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about time")
	}
	const events, limit = 200_000, 5 * time.Second
	data := many(t, events)
	start := cpuTime(t)
	l := Read(data)
	s := Replay(l.Events)
	if took := cpuTime(t) - start; took > limit || len(l.Events) != events || len(s.Decisions) < events/2 {
		t.Errorf("%d events, %d decisions in %v", len(l.Events), len(s.Decisions), took)
	}
}
