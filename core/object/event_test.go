package object_test

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
)

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
			out[id] = s.State()
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
