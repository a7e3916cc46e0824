package object_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/object"
)

// The calls that a script made are met at the entry of its result, and are neither
// the result nor named by it.
func TestAResultNamesWhatWasDiscoveredAtItsEntry(t *testing.T) {
	t.Parallel()
	calls := map[string]bool{"script": true, "script/1": true, "ls": true}
	events := []object.Event{
		{Leaf: "e1", Object: "a.go", What: object.Discovered},
		{Leaf: "e1", Object: "script", What: object.Activated},
		{Leaf: "e1", Object: "script/1", What: object.Discovered},
		{Leaf: "e2", Object: "a.go", What: object.Deactivated},
		{Leaf: "e3", Object: "b.go", What: object.Discovered},
		{Leaf: "e3", Object: "c.go", What: object.Discovered},
		{Leaf: "e3", Object: "ls", What: object.Activated},
		{Leaf: "e4", Object: "d.go", What: object.Discovered},
	}
	got := object.Named(events, func(id string) bool { return calls[id] })
	want := map[string][]string{"script": {"a.go"}, "ls": {"b.go", "c.go"}}
	if !maps.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestABranchHasTheEventsOfItsEntries(t *testing.T) {
	t.Parallel()
	events := []object.Event{
		{Leaf: "e1", Object: "a", What: object.Activated},
		{Leaf: "e2", Object: "a", What: object.Deactivated},
		{Leaf: "", Object: "b", What: object.Discovered},
		{Leaf: "e1", Object: "b", What: object.Activated},
		{Leaf: "e1", Object: "b", What: object.Discovered},
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
