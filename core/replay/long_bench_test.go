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
// CPU time of the whole process. The log says how much more expensive a turn of the longest
// session is than one of the shortest: 1 when replay is linear.
func BenchmarkReplayOfALongSession(b *testing.B) {
	lengths := []int{1000, 3000, 10_000}
	names := []string{"load"}
	for _, p := range token.Profiles() {
		names = append(names, p.Name)
	}
	perTurn := make(map[string]float64)
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
				perTurn[run] = each
			})
		}
	}
	for _, name := range names {
		shortest, longest := perTurn[fmt.Sprintf("%s/%d", name, lengths[0])], perTurn[fmt.Sprintf("%s/%d", name, lengths[len(lengths)-1])]
		if shortest > 0 && longest > 0 {
			b.Logf("%s: a turn of the longest session costs %.1f times one of the shortest", name, longest/shortest)
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
