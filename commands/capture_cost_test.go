package commands

import (
	"runtime"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// What a turn allocates does not depend on how busy the machine is, as times do.
func TestCapturingALateTurnOfASessionCostsWhatAnEarlyOneDid(t *testing.T) {
	c := newCaptured(t)
	capture := func() (allocated uint64) {
		s := c.open()
		defer s.Close()
		work := c.work("s-1")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must.Get(work.Turn(t.Context(), s.Tree, s.Leaf(), s.Line))(t)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const early, late, sample = 10, 80, 5
	var first, last uint64
	for n := range late + sample {
		c.turnOfSix(n)
		a := capture()
		switch {
		case n >= early && n < early+sample:
			first += a
		case n >= late:
			last += a
		}
	}
	must.Not(t, last > 2*first, "turns %d to %d allocated %d bytes, turns %d to %d %d", early, early+sample, first, late, late+sample, last)
	t.Logf("early %d, late %d bytes a turn", first/sample, last/sample)
}
