package object_test

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
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
	for name, tt := range map[string]struct {
		on   func(leaf string) bool
		want map[string]object.State
	}{
		"everywhere":                {nil, map[string]object.State{"a": object.Inactive, "b": object.Active}},
		"before it was deactivated": {func(leaf string) bool { return leaf == "e1" }, map[string]object.State{"a": object.Active, "b": object.Active}},
		"on no branch":              {func(string) bool { return false }, map[string]object.State{"b": object.Inactive}},
	} {
		got := make(map[string]object.State)
		for id, e := range object.Replay(events, tt.on) {
			got[id] = e.State()
		}
		must.Match(t, got, tt.want, name)
	}
}
