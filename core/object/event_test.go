package object_test

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/object"
)

// The calls that a script made are met at the entry of its result, and are neither
// the result nor named by it.
func TestMentionsAreWhatAResultDiscovered(t *testing.T) {
	t.Parallel()
	calls := map[string]bool{"script": true, "script/1": true, "ls": true}
	events := []object.Event{
		{Leaf: "e1", Object: "a.go", Kind: object.Discovered},
		{Leaf: "e1", Object: "script", Kind: object.Activated},
		{Leaf: "e1", Object: "script/1", Kind: object.Discovered},
		{Leaf: "e2", Object: "a.go", Kind: object.Deactivated},
		{Leaf: "e3", Object: "b.go", Kind: object.Discovered},
		{Leaf: "e3", Object: "c.go", Kind: object.Discovered},
		{Leaf: "e3", Object: "ls", Kind: object.Activated},
		{Leaf: "e4", Object: "d.go", Kind: object.Discovered},
	}
	var n object.Mentions
	for i := range events {
		events[i].Seq = int64(i + 1)
		n.Add(&events[i], calls[events[i].Object])
	}
	for call, want := range map[string][]string{"script": {"a.go"}, "ls": {"b.go", "c.go"}, "script/1": nil, "a.go": nil} {
		if got := n.Of(call); !slices.Equal(got, want) {
			t.Errorf("%s names %v, want %v", call, got, want)
		}
	}
	// Who activated it at another entry named what is discovered there, in the order in
	// which that was.
	for i, e := range []object.Event{
		{Leaf: "e5", Object: "ls", Kind: object.Activated},
		{Leaf: "e5", Object: "e.go", Kind: object.Discovered},
		{Leaf: "e3", Object: "f.go", Kind: object.Discovered},
		{Leaf: "e5", Object: "g.go", Kind: object.Discovered},
	} {
		e.Seq = int64(100 + i)
		n.Add(&e, calls[e.Object])
	}
	if got, want := n.Of("ls"), []string{"b.go", "c.go", "e.go", "f.go", "g.go"}; !slices.Equal(got, want) {
		t.Errorf("ls names %v, want %v", got, want)
	}
}

func TestReplayUsesOnlyTheEventsOfABranch(t *testing.T) {
	t.Parallel()
	events := []object.Event{
		{Leaf: "e1", Object: "a", Kind: object.Activated},
		{Leaf: "e2", Object: "a", Kind: object.Deactivated},
		{Leaf: "", Object: "b", Kind: object.Discovered},
		{Leaf: "e1", Object: "b", Kind: object.Activated},
		{Leaf: "e1", Object: "b", Kind: object.Discovered},
	}
	states := func(on func(string) bool) map[string]object.State {
		out := make(map[string]object.State)
		for id, s := range object.Replay(events, on) {
			out[id] = s.State
		}
		return out
	}
	if got := states(nil); got["a"] != object.Inactive || got["b"] != object.Active {
		t.Errorf("everywhere: %v", got)
	}
	if got := states(func(leaf string) bool { return leaf == "e1" }); got["a"] != object.Active {
		t.Errorf("before it was deactivated: %v", got)
	}
	if got := states(func(string) bool { return false }); len(got) != 1 || got["b"] != object.Inactive {
		t.Errorf("on no branch: %v", got)
	}
}
