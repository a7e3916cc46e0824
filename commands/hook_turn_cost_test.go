package commands

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
)

// newLongSession is a session with its header alone, and the entries that follow, of which every
// third ends a turn.
func newLongSession(t *testing.T, messages int) (s *liveSession, lines [][]byte) {
	t.Helper()
	s = newLiveSession(t, 1)
	s.last = int(time.Now().UnixMilli())
	var text bytes.Buffer
	must.Do(t, corpus.Write(&text, corpus.Session{ID: "live", CWD: s.dir, Seed: 1, Messages: messages, Size: 400}))
	lines = bytes.Split(bytes.TrimSpace(text.Bytes()), []byte("\n"))
	s.write(append(lines[0], '\n'))
	return s, lines[1:]
}

// What a turn allocates does not depend on how busy the machine is, as times do. Were every
// turn to read its session again, the long one would be sixteen times the short one.
func TestATurnOfALongSessionCostsAServeWhatOneOfAShortSessionDoes(t *testing.T) {
	const short, long, sample = 60, 960, 12
	allocated := func(turns int) uint64 {
		s, lines := newLongSession(t, 3*(turns+2*sample))
		write := func(n int) {
			for _, l := range lines[:n] {
				s.append(l, 0)
			}
			lines = lines[n:]
		}
		write(3 * turns)
		s.ask(hooks.EventSessionStart, "{}")
		s.ask(hooks.EventTurnEnd, "{}")
		play := func() {
			for range sample {
				write(3)
				s.ask(hooks.EventTurnEnd, "{}")
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
	must.Not(t, last > 2*first, "%d turns after %d allocated %d bytes, after %d %d", sample, short, first, long, last)
	t.Logf("a turn after %d turns: %d bytes, after %d: %d", short, first/sample, long, last/sample)
}
