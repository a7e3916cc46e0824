package commands

import (
	"runtime"
	"testing"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/corpus"
)

// What a turn allocates does not depend on how busy the machine is, as times do. Were every
// turn to read its session again, the long one would be sixteen times the short one.
func TestATurnOfALongSessionCostsAServeWhatOneOfAShortSessionDoes(t *testing.T) {
	const short, long, sample = 60, 960, 12
	allocated := func(turns int) uint64 {
		s := newSessionOf(t, corpus.Session{Messages: 3 * (turns + 2*sample), Size: 400}, 3*turns)
		play := func() {
			for range sample {
				s.append(3)
				s.ask(hooks.EventTurnEnd, "contextEdit")
			}
		}
		play() // it has read the session once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		play()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	first, last := allocated(short), allocated(long)
	if last > 2*first {
		t.Errorf("%d turns after %d allocated %d bytes, after %d %d", sample, short, first, long, last)
	}
	t.Logf("a turn after %d turns: %d bytes, after %d: %d", short, first/sample, long, last/sample)
}
