package decision

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// met merges two branches of a log with git's union driver.
func met(t *testing.T, base *book, ours, theirs func(b *book)) *book {
	t.Helper()
	a, b := base.branch(2), base.branch(3)
	ours(a)
	b.now = b.now.Add(10 * time.Minute)
	theirs(b)
	return &book{t: t, events: Read([]byte(merge(base, a, b))).Events, now: b.now, random: newChance(9)}
}

// resolve settles a conflict and fails the test when that is refused.
func (b *book) resolve(id string, how Settlement) {
	b.t.Helper()
	b.do(id, func(e *Editor, d *Decision) error { return e.Resolve(d, how) })
}

// quiet fails the test when a conflict is left.
func (b *book) quiet(when string) {
	b.t.Helper()
	if c := b.state().Clashes(); len(c) != 0 {
		b.t.Errorf("%s: %+v", when, c)
	}
}

// Holds decisions 20, 58.
func TestAChangeAgainstARemovalIsSettledEitherWay(t *testing.T) {
	changes := map[string]func(e *Editor, d *Decision) error{
		"edited":   func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("Cache for 90 seconds")}) },
		"accepted": func(e *Editor, d *Decision) error { return e.Turn(d, Active, "") },
		"superseded": func(e *Editor, d *Decision) error {
			_, err := e.Add(New{Text: "Do not cache", Supersedes: d.ID, Reason: "stale"}, true)
			return err
		},
	}
	for name, change := range changes {
		for _, removed := range []bool{true, false} {
			base := newBook(t)
			id := base.add(New{Text: "Cache for 60 seconds", Status: Draft})
			b := met(t, base, func(b *book) {
				b.do(id, func(e *Editor, d *Decision) error { return e.Remove(d, PurgeReason) })
			}, func(b *book) { b.do(id, change) })
			c := b.state().Clashes()
			if len(c) != 1 || !strings.Contains(c[0].Fix, "resolve "+id) || !b.find(id).Contested() {
				t.Fatalf("%s: clashes %+v", name, c)
			}
			fields := strings.Fields(c[0].Fix)
			to := Status(strings.TrimSuffix(fields[4], ","))
			b.resolve(id, Settlement{To: to, Removed: removed})
			b.quiet(name)
			d := b.find(id)
			if d.Removed != removed || !removed && (d.Status != to || name == "edited" && d.Text != "Cache for 90 seconds") {
				t.Errorf("%s, removed %v: %+v", name, removed, d)
			}
			if name == "superseded" && !removed && b.state().Latest(d) == d {
				t.Errorf("what superseded it is not known any more: %+v", d)
			}
		}
	}
}

func TestARemovalNotKnownToWhoBroughtADecisionBackCounts(t *testing.T) {
	base := newBook(t)
	id := base.add(New{Text: "Use tabs"})
	b := met(t, base, func(b *book) {
		b.do(id, func(e *Editor, d *Decision) error { return e.Remove(d, "") })
	}, func(b *book) {
		b.do(id, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("Use spaces")}) })
	})
	again := met(t, b, func(b *book) { b.resolve(id, Settlement{To: Active}) }, func(b *book) { b.resolve(id, Settlement{Removed: true}) })
	if d := again.find(id); !d.Removed || len(again.state().Clashes()) != 1 {
		t.Fatalf("%+v, clashes %v", d, again.state().Clashes())
	}
	again.resolve(id, Settlement{To: Active})
	again.quiet("brought back after two removals")
	if d := again.find(id); d.Removed || d.Text != "Use spaces" {
		t.Errorf("%+v", d)
	}
}

func TestOneOfTheSuccessorsSideBySideIsPicked(t *testing.T) {
	gone := map[string]func(e *Editor, d *Decision) error{
		"rejected": func(e *Editor, d *Decision) error { return e.Turn(d, Rejected, "") },
		"removed":  func(e *Editor, d *Decision) error { return e.Remove(d, "") },
	}
	for name, change := range gone {
		for picked := range 2 {
			base := newBook(t)
			old := base.add(New{Text: "Use PostgreSQL"})
			var ids [2]string
			successor := func(i int, text string) func(b *book) {
				return func(b *book) { ids[i] = b.add(New{Text: text, Supersedes: old, Reason: "r"}) }
			}
			b := met(t, base, successor(0, "Use SQLite"), successor(1, "Use MySQL"))
			c := b.state().Clashes()
			if len(c) != 1 || !slices.Equal(c[0].IDs, []string{old, ids[0], ids[1]}) || !slices.Equal(b.find(ids[0]).Rivals, ids[1:]) {
				t.Fatalf("clashes %+v", c)
			}
			var refused *RefusedError
			if err := b.editor().Resolve(b.find(old), Settlement{To: Superseded}); !errors.As(err, &refused) || !strings.Contains(refused.How, ids[0]) {
				t.Errorf("settled without picking one: %v", err)
			}
			b.do(ids[1-picked], change)
			b.quiet(name)
			if active := b.state().With(Active); len(active) != 1 || active[0].ID != ids[picked] || b.state().Latest(b.find(old)).ID != ids[picked] {
				t.Errorf("%s, picked %d: %v", name, picked, b.state().With(Active))
			}
		}
	}
}

func TestTagsOfTwoPeopleAreBothKept(t *testing.T) {
	base := newBook(t)
	id := base.add(New{Text: "Use tabs", Tags: []string{"old", "style"}})
	tag := func(add, drop string) func(b *book) {
		return func(b *book) {
			b.do(id, func(e *Editor, d *Decision) error {
				return e.Edit(d, Change{Tag: []string{add}, Untag: []string{drop}})
			})
		}
	}
	b := met(t, base, tag("a", "old"), tag("b", "none"))
	b.quiet("two tags")
	must.Match(t, b.find(id).Tags, []string{"style", "a", "b"}, "tags")
	tag("c", "a")(b)
	must.Match(t, b.find(id).Tags, []string{"style", "b", "c"}, "tags after another change")
}

func TestAnUnsettledFieldDoesNotOutliveItsDecision(t *testing.T) {
	base := newBook(t)
	id := base.add(New{Text: "Use tabs"})
	edit := func(text string) func(b *book) {
		return func(b *book) {
			b.do(id, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: &text}) })
		}
	}
	b := met(t, base, edit("Use tabs of 4"), edit("Use tabs of 8"))
	must.Contain(t, b.find(id).Unsettled(), `"Use tabs of 4" or "Use tabs of 8"`, "unsettled")
	b.do(id, func(e *Editor, d *Decision) error { return e.Remove(d, "") })
	b.quiet("removed")
}
