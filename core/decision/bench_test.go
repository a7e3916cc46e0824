package decision

import (
	"fmt"
	"testing"
	"time"
)

// many returns a log of n events: nine of ten add a decision, the others edit, supersede or
// remove one.
func many(tb testing.TB, n int) []byte {
	tb.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	random := newChance(7)
	events := make([]Event, 0, n)
	for i := range n {
		ms := now.Add(time.Duration(i) * time.Second).UnixMilli()
		key, err := newKey(ms, random)
		if err != nil {
			tb.Fatal(err)
		}
		e := Event{Time: Stamp(time.UnixMilli(ms)), Project: "8c76c00a2b77e5da", Op: OpAdd, ID: fmt.Sprintf("D-2026-01-01-X%05d", i), Actor: "user", By: "Ada <ada@example.org>", Key: key, stamp: ms}
		text := fmt.Sprintf("Service %d keeps its records in table %d and answers within %d ms", i, i*7%1000, i%90)
		switch {
		case i%10 != 9:
			e.Data = Data{Title: new(TitleOf(text)), Text: &text, Tags: &[]string{"db"}, Status: new(Active), Reason: new("measured"), Supersedes: RefTo(""), Conflicts: &[]string{}}
		case i%30 == 9:
			e.Op, e.ID, e.Data, e.Seen = OpRemove, events[i-3].ID, Data{}, []string{events[i-3].Key}
		default:
			e.Op, e.ID, e.Data, e.Seen = OpEdit, events[i-3].ID, Data{Title: &text, Text: &text}, []string{events[i-3].Key}
		}
		events = append(events, e)
	}
	return Lines(true, events)
}

// BenchmarkLoad reads and replays a log of 200,000 events.
func BenchmarkLoad(b *testing.B) {
	data := many(b, 200_000)
	b.SetBytes(int64(len(data)))
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if l := Read(data); len(l.Events) != 200_000 {
				b.Fatal(len(l.Events), l.Damage[:1])
			}
		}
	})
	events := Read(data).Events
	b.Run("replay", func(b *testing.B) {
		for b.Loop() {
			Replay(events)
		}
	})
	s := Replay(events)
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			s.Same("Something that nobody said", Active)
		}
	})
	b.Run("closest", func(b *testing.B) {
		for b.Loop() {
			s.Closest("Service 77 keeps its records in table 539", nil)
		}
	})
}
