//go:build unix

package decision

import (
	"fmt"
	"strconv"
	"strings"
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
	const events, limit = 50_000, 1250 * time.Millisecond
	data := many(t, events)
	start := cpuTime(t)
	l := Read(data)
	s := Replay(l.Events)
	if took := cpuTime(t) - start; took > limit || len(l.Events) != events || len(s.Decisions) < events/2 {
		t.Errorf("%d events, %d decisions in %v", len(l.Events), len(s.Decisions), took)
	}
}

// A repository that was cloned brings its log with it.
func TestReadingALogMadeToBeSlowIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about time")
	}
	const events, limit = 15_000, 1250 * time.Millisecond
	id := func(n int) string { return fmt.Sprintf("D-2026-02-%02d-%04d", 1+n/10_000, n%10_000) }
	line := func(n int, op, id, data string) string {
		return fmt.Sprintf(`{"v":1,"t":"2026-02-27T06:00:00.000Z","p":"0123456789abcdef","e":%q,"i":%q,"d":{%s},"u":"user","k":"01M81R07%018d"}`, op, id, data, n)
	}
	add := func(n int, id, old string) string {
		return line(n, "a", id, fmt.Sprintf(`"ti":"rule %d","tx":"rule %d","tg":[],"s":"active","r":"r","sp":%s,"c":[]`, n, n, old))
	}
	for name, at := range map[string]func(n int) string{
		"one id for all": func(n int) string { return add(n, id(0), "null") },
		"one id for all, changed": func(n int) string {
			if n < events/2 {
				return add(n, id(0), "null")
			}
			return line(n, "ed", id(0), `"r":"other"`)
		},
		"one predecessor for all": func(n int) string { return add(n, id(n), strconv.Quote(id(0))) },
		"successors that nobody saw": func(n int) string {
			switch {
			case n == 0:
				return add(n, id(0), "null")
			case n < events/2:
				return add(n, id(n), "null")
			}
			return strings.Replace(line(n, "su", id(0), fmt.Sprintf(`"s":"superseded","nx":%q`, id(n-events/2+1))), `"u":`, `"x":["01M81R07000000000000000000"],"u":`, 1)
		},
		"changes that nobody saw": func(n int) string {
			if n == 0 {
				return add(n, id(0), "null")
			}
			return strings.Replace(line(n, "ed", id(0), fmt.Sprintf(`"r":"other %d","tg":["t%d"]`, n, n)), `"u":`, `"x":["01M81R07000000000000000000"],"u":`, 1)
		},
	} {
		var log strings.Builder
		for n := range events {
			log.WriteString(at(n) + "\n")
		}
		start := cpuTime(t)
		l := Read([]byte(log.String()))
		s := Replay(l.Events)
		s.Clashes()
		took := cpuTime(t) - start
		if took > limit || len(l.Events) != events || len(s.Decisions) == 0 {
			t.Errorf("%s: %d events, %d decisions in %v", name, len(l.Events), len(s.Decisions), took)
		}
	}
}
