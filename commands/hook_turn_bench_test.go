//go:build unix

package commands

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
)

// BenchmarkTurn is one serve at the end of a turn, in sessions of different lengths, in
// CPU time of the whole process. A turn is three messages. The last column says how many
// times as much a turn costs as one of the shortest session.
func BenchmarkTurn(b *testing.B) {
	perTurn := make(map[int]float64)
	lengths := []int{100, 1000, 10_000}
	for _, turns := range lengths {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			s := newSessionOf(b, corpus.Session{Messages: 3 * (turns + b.N), Size: 400}, 3*turns)
			b.ResetTimer()
			var spent time.Duration
			for range b.N {
				b.StopTimer()
				s.append(3)
				before := cpuTime(b)
				b.StartTimer()
				s.ask(hooks.EventTurnEnd, "contextEdit")
				spent += cpuTime(b) - before
			}
			perTurn[turns] = float64(spent.Microseconds()) / float64(b.N)
			b.ReportMetric(perTurn[turns], "cpu-µs/turn")
			if first := perTurn[lengths[0]]; first > 0 {
				b.ReportMetric(perTurn[turns]/first, fmt.Sprintf("x-turns=%d", lengths[0]))
			}
		})
	}
}

// cpuTime is what this process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
