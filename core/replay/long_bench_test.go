//go:build unix

package replay

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/token"
)

// BenchmarkReplayOfALongSession says what a turn costs in sessions of different lengths, in
// CPU time of the whole process, and how many times one in the shortest: 1 when replay is
// linear.
func BenchmarkReplayOfALongSession(b *testing.B) {
	lengths := []int{1000, 3000, 10_000}
	names := []string{"load"}
	for _, p := range token.Profiles() {
		names = append(names, p.Name)
	}
	shortest := make(map[string]float64)
	for _, turns := range lengths {
		tree, line := long(turns).tree(b)
		var r *Recording
		work := func(b *testing.B, name string) (err error) {
			if name == "load" {
				r, err = Load(tree, line)
			} else {
				_, err = r.Run(b.Context(), Auto(defaultAuto()), []token.Prices{prices(b, name)}, Options{})
			}
			return err
		}
		if err := work(b, "load"); err != nil {
			b.Fatal(err)
		}
		for _, name := range names {
			run := fmt.Sprintf("%s/%d", name, turns)
			b.Run(run, func(b *testing.B) {
				before := cpuTime(b)
				for range b.N {
					if err := work(b, name); err != nil {
						b.Fatal(err)
					}
				}
				each := float64((cpuTime(b) - before).Microseconds()) / float64(b.N*turns)
				b.ReportMetric(each, "cpu-us/turn")
				if turns == lengths[0] {
					shortest[name] = each
				}
				if first := shortest[name]; first > 0 { // 0 when -bench leaves it out
					b.ReportMetric(each/first, fmt.Sprintf("x-turns=%d", lengths[0]))
				}
			})
		}
	}
}

// cpuTime is what this process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
