package object_test

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/tool"
	"github.com/coctostan/pictx/internal/must"
)

func read(entry, path string) prune.Shown {
	return prune.Shown{Entry: entry, Tool: "read", Access: tool.Access{Path: path, Reads: true}}
}

func TestObjectIsActiveWhileAResultShowsIt(t *testing.T) {
	t.Parallel()
	file := func(path string) object.Object {
		k := object.FileKey("", path)
		return object.Object{ID: object.NewID(k, 0), Key: k}
	}
	call := func(entry string) object.Object {
		k := object.ToolcallKey("s", entry, "c")
		return object.Object{ID: object.NewID(k, 0), Key: k}
	}
	failed, pruned := read("e3", "/failed"), read("e4", "/pruned")
	failed.Failed, pruned.Pruned = true, true
	again := file("/again")
	v := object.View{
		Shown: []prune.Shown{read("e1", "/a"), read("e2", "/off"), failed, pruned, {Entry: "e5", Tool: "activate"}},
		States: state.States{
			Inactive: []string{"e2"}, Objects: map[string][]string{again.ID: {"e5"}, call("e4").ID: {"e4", "e5"}},
		},
		Brought: []string{object.BroughtHead + file("/brought").ID + " /brought:\ntext"},
	}
	for name, c := range map[string]struct {
		o    object.Object
		want object.State
	}{
		"a call whose result stands":       {call("e1"), object.Active},
		"the file that it read":            {file("/a"), object.Active},
		"a call that was deactivated":      {call("e2"), object.Inactive},
		"the file that it read, too":       {file("/off"), object.Inactive},
		"a call that failed":               {call("e3"), object.Active},
		"the file that it did not read":    {file("/failed"), object.Inactive},
		"the file of a pruned call":        {file("/pruned"), object.Active}, // as the call was brought back
		"a call that was brought back":     {call("e4"), object.Active},
		"a file that was brought back":     {again, object.Active},
		"one that the user brought":        {file("/brought"), object.Active},
		"one that was never read":          {file("/other"), object.Inactive},
		"a call that is gone":              {call("e9"), object.Inactive},
		"what is always in the context":    {object.Object{ID: "o-1", Key: object.ChatKey("s")}, object.Active},
		"a name that begins as one's does": {object.Object{ID: file("/brought").ID[:8], Key: object.FileKey("", "/x")}, object.Inactive},
	} {
		must.Equal(t, v.State(c.o), c.want, "%s", name)
	}
}

func TestChangesNameTheResultsThatShowAnObject(t *testing.T) {
	t.Parallel()
	k := object.FileKey("", "/a")
	got := object.Changes([]object.Event{
		{Object: "o", Key: k, Kind: object.Deactivated, Tx: 3, Time: 7000}, {Object: "gone", Kind: object.Activated, Tx: 4, Time: 9000},
	}, []prune.Shown{read("e1", "/a"), read("e2", "/b"), read("e3", "/a")})
	if len(got) != 2 || got[0].Op != state.Deactivate || !slices.Equal(got[0].Entries, []string{"e1", "e3"}) || got[0].Tx != 3 || got[0].Time != 7 ||
		got[1].Op != state.Activate || got[1].Entries != nil {
		t.Errorf("%+v", got)
	}
}
