package decision

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
)

// describe returns a text that is equal for equal states.
func describe(s *State) string {
	var b strings.Builder
	for _, d := range s.Decisions {
		fmt.Fprintf(&b, "%s %s %v %q %q %v %q %q %q %v %s %s\n", d.ID, d.Status, d.Removed, d.Title, d.Text, d.Tags, d.Reason,
			d.Supersedes, d.SupersededBy, d.Conflicts, d.Since, d.Updated)
	}
	for _, c := range s.Clashes() {
		fmt.Fprintf(&b, "%v %v %s\n", c.Code, c.IDs, c.Text)
	}
	for _, o := range s.Orphans {
		fmt.Fprintf(&b, "orphan %s\n", o.ID)
	}
	return b.String()
}

// busy returns a log with events of every kind.
func busy(t *testing.T) *book {
	t.Helper()
	b := newBook(t)
	for i := range 6 {
		b.add(New{Text: fmt.Sprintf("Rule number %d", i), Tags: []string{"t"}})
	}
	ids := make([]string, 0, 6)
	for _, d := range b.state().Decisions {
		ids = append(ids, d.ID)
	}
	b.do(ids[0], func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("Rule zero")}) })
	b.do(ids[1], func(e *Editor, d *Decision) error { return e.Turn(d, Rejected, "no") })
	b.do(ids[2], func(e *Editor, d *Decision) error { return e.Remove(d, "") })
	b.add(New{Text: "Rule three, better", Supersedes: ids[3], Reason: "better"})
	b.do(ids[4], func(e *Editor, d *Decision) error { return e.Clash(d, b.find(ids[5]), "both at once") })
	b.do(ids[0], func(e *Editor, d *Decision) error {
		return e.Edit(d, Change{Tag: []string{"pinned"}, Untag: []string{"t"}})
	})
	return b
}

// Holds decisions 16, 19.
func TestReplayIgnoresLineOrder(t *testing.T) {
	b := busy(t)
	want := describe(b.state())
	text := strings.SplitAfter(strings.TrimSuffix(b.text()+original(t), "\n"), "\n")
	all := describe(Replay(Read([]byte(strings.Join(text, ""))).Events))
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		events := slices.Clone(b.events)
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		if diff := cmp.Diff(want, describe(Replay(events))); diff != "" {
			t.Fatalf("shuffled (-want +got):\n%s", diff)
		}
		lines := slices.Clone(text)
		lines[len(lines)-1] += "\n"
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if diff := cmp.Diff(all, describe(Replay(Read([]byte(strings.Join(lines, ""))).Events))); diff != "" {
			t.Fatalf("shuffled lines (-want +got):\n%s", diff)
		}
	}
}

// Holds decisions 19.
func TestOrphanEventWaitsForItsDecision(t *testing.T) {
	b := newBook(t)
	id := b.add(New{Text: "Use tabs"})
	b.do(id, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("Use spaces")}) })
	if s := Replay(b.events[1:]); len(s.Orphans) != 1 || len(s.Decisions) != 0 {
		t.Errorf("orphans %v", s.Orphans)
	}
	if s := Replay([]Event{b.events[1], b.events[0]}); len(s.Orphans) != 0 || s.Decisions[0].Text != "Use spaces" {
		t.Errorf("%+v", s.Decisions[0])
	}
}

// Holds decisions 18.
func TestDecisionsThatShareAnIDAreBothShown(t *testing.T) {
	line := func(text, at, key string) string {
		return fmt.Sprintf(`{"v":1,"t":"2026-02-27T06:00:%s.000Z","p":"p","e":"a","i":"D-2026-02-27-0001","d":{"ti":%q,"tx":%q,"s":"active"},"u":"user"%s}`+"\n", at, text, text, key)
	}
	s := Replay(Read([]byte(line("mine", "01", "") + line("theirs", "02", `,"k":"01KX0000000000000000000K3F9"`))).Events)
	if len(s.Decisions) != 2 || s.Decisions[0].ID != "D-2026-02-27-0001" || s.Decisions[1].ID != "D-2026-02-27-0001~k3f9" {
		t.Fatalf("%v", describe(s))
	}
	_, err := s.Find("D-2026-02-27-0001")
	amb, ok := err.(*AmbiguousError)
	if !ok || len(amb.Candidates) != 2 || strings.Count(err.Error(), SuffixMark) != 2 {
		t.Fatalf("found by the bare id: %v", err)
	}
	for i, c := range amb.Candidates {
		if d, err := s.Find(c); err != nil || d != s.Decisions[i] {
			t.Errorf("%s: %v", c, err)
		}
	}
	if c := s.Clashes(); len(c) != 1 || c[0].Code != "shared-id" {
		t.Errorf("clashes: %v", c)
	}
	// A change of one of them applies to that one only.
	e := &Editor{State: s, Now: time.Now(), Random: newChance(3), Actor: "user"}
	if err := e.Turn(s.Decisions[0], Rejected, ""); err != nil {
		t.Fatal(err)
	}
	l := Read([]byte(line("mine", "01", "") + line("theirs", "02", `,"k":"01KX0000000000000000000K3F9"`) + string(Lines(true, e.Events()))))
	if s := Replay(l.Events); s.Decisions[0].Status != Rejected || s.Decisions[1].Status != Active {
		t.Errorf("%s", describe(s))
	}
}

// Holds decisions 21.
func TestInvalidTimesChangeOnlyTheOrder(t *testing.T) {
	b := newBook(t)
	id := b.add(New{Text: "Use tabs"})
	b.events[0].Time, b.events[0].stamp = "3026-01-01T00:00:00.000Z", time.Date(3026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	b.do(id, func(e *Editor, d *Decision) error { return e.Turn(d, Rejected, "") })
	if d := b.find(id); d.Status != Rejected {
		t.Errorf("a later change comes before a time in the future: %s", d.Status)
	}
	l := Read([]byte(strings.Replace(b.text(), "3026-01-01T00:00:00.000Z", "yesterday", 1)))
	if d := Replay(l.Events).Decisions[0]; d.Status != Rejected || d.Created != "" {
		t.Errorf("with a time that is none: %s %s", d.Status, d.Created)
	}
}

// Holds decisions 58.
func TestConcurrentChangesAreForksUntilSettled(t *testing.T) {
	text := func(text string) func(e *Editor, d *Decision) error {
		return func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: &text}) }
	}
	status := func(to Status) func(e *Editor, d *Decision) error {
		return func(e *Editor, d *Decision) error { return e.Turn(d, to, "") }
	}
	tag := func(e *Editor, d *Decision) error { return e.Edit(d, Change{Tag: []string{"style"}}) }
	for name, c := range map[string]struct {
		ours, theirs func(e *Editor, d *Decision) error
		side         string
	}{
		"two texts":        {text("Use tabs of 4"), text("Use tabs of 8"), `text "Use tabs of 4" or "Use tabs of 8"`},
		"the same text":    {text("Use tabs of 4"), text("Use tabs of 4"), ""},
		"two statuses":     {status(Rejected), status(Draft), `status "rejected" or "draft"`},
		"different fields": {text("Use tabs of 4"), tag, ""},
	} {
		base := newBook(t)
		id := base.add(New{Text: "Use tabs"})
		ours, theirs := base.branch(2), base.branch(3)
		ours.do(id, c.ours)
		theirs.now = theirs.now.Add(time.Second)
		theirs.do(id, c.theirs)
		a, b := Read([]byte(merge(base, ours, theirs))).Events, Read([]byte(merge(base, theirs, ours))).Events
		must.Match(t, describe(Replay(b)), describe(Replay(a)), "%s: the sides make a difference", name)
		merged := &book{t: t, events: a, now: theirs.now, random: newChance(9)}
		merged.do(id, tag) // which settles nothing
		must.Equal(t, merged.find(id).Unsettled(), c.side, name)
		merged.do(id, func(e *Editor, d *Decision) error { return e.Resolve(d, Settlement{To: d.Status, Reason: "talked"}) })
		merged.quiet(name)
	}
}

// Holds decisions 28.
func TestTornSupersedeIsAllOrNothing(t *testing.T) {
	b := newBook(t)
	old := b.add(New{Text: "Use tabs"})
	before := b.text()
	b.add(New{Text: "Use spaces", Supersedes: old, Reason: "the editor"})
	whole := b.text()
	for cut := len(before); cut <= len(whole); cut++ {
		s := Replay(Read([]byte(whole[:cut])).Events)
		active := s.With(Active)
		if len(active) != 1 {
			t.Fatalf("cut at %d: %d active decisions\n%s", cut, len(active), describe(s))
		}
		if len(s.Decisions) == 2 && (s.Decisions[0].Status != Superseded || s.Decisions[0].SupersededBy != active[0].ID) {
			t.Fatalf("cut at %d: half of it\n%s", cut, describe(s))
		}
	}
}

// Holds decisions 29, 30.
func TestIDsAreUniqueAndFoundByPartsOfThem(t *testing.T) {
	b := newBook(t)
	seen := map[string]bool{}
	for range 300 {
		id := b.add(New{Text: "Rule " + fmt.Sprint(len(seen))})
		if seen[id] || !strings.HasPrefix(id, "D-2026-11-20-") || strings.Trim(id[13:], "0123456789") == "" {
			t.Fatalf("id %s", id)
		}
		seen[id] = true
		if len(seen)%3 == 0 {
			b.do(id, func(e *Editor, d *Decision) error { return e.Remove(d, "") })
		}
	}
	// Ids of removed decisions are not reused.
	taken := 0
	if _, err := NewID(b.now, newChance(1), func(id string) bool { taken++; return taken < 5 || seen[id] }); err != nil || taken < 5 {
		t.Errorf("%d tries: %v", taken, err)
	}
	s := b.state()
	d := s.With(Active)[0]
	for _, id := range []string{d.ID, strings.ToLower(d.ID), d.ID[13:], " " + d.ID + " "} {
		if got, err := s.Find(id); err != nil || got != d {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := s.Find("D-2026-11"); err == nil || !strings.Contains(err.Error(), "ambiguous") {
		t.Errorf("%v", err)
	}
	for _, id := range []string{"", "D-1999", "~"} {
		if _, err := s.Find(id); err == nil {
			t.Errorf("%q is found", id)
		}
	}
}

func TestIDsOfManyBranchesDiffer(t *testing.T) {
	base := newBook(t)
	id := base.add(New{Text: "Use tabs"})
	events := slices.Clone(base.events)
	for i := range 200 {
		br := base.branch(byte(i + 2))
		br.do(id, func(e *Editor, d *Decision) error {
			return e.Edit(d, Change{Text: new(fmt.Sprintf("Use tabs of %d", i))})
		})
		events = append(events, br.events[1:]...)
	}
	s := Replay(events)
	if f := s.Decisions[0].Sides; len(f) != 1 || f[0].Field != "text" {
		t.Errorf("forks %v", f)
	}
	e := &Editor{State: s, Now: base.now, Random: newChance(3)}
	if err := e.Resolve(s.Decisions[0], Settlement{To: Active}); err != nil {
		t.Fatal(err)
	}
	if f := Replay(append(events, e.Events()...)).Clashes(); len(f) != 0 {
		t.Errorf("settled: forks %v", f)
	}
}
