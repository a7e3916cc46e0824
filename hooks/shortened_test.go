package hooks_test

import (
	"context"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/hooks"
)

// markedWorld is a world whose store is a markedStore.
type markedWorld struct {
	*world
	store *markedStore
}

func (w markedWorld) Project(context.Context, *hooks.Request) (*hooks.Project, error) {
	return &hooks.Project{Ports: w.store}, nil
}

// markedStore has a mark for the tool result r0, and counts how often the marks are read.
type markedStore struct {
	surroundings
	reads int
}

func (s *markedStore) Store(context.Context) (hooks.Stores, error) {
	return hooks.Stores{Marks: s}, nil
}

func (s *markedStore) Marks(context.Context, string) ([]prune.Mark, error) {
	s.reads++
	return []prune.Mark{{EntryID: "r0", Leaf: "r0", Marker: "[pruned]", Tokens: 1000, MarkerTokens: 4, Time: 1}}, nil
}

func (*markedStore) AddMarks(context.Context, string, []prune.Mark) error { return nil }

func TestSystemsShareWhatAnEventReadsOfTheSessionsPrunedResults(t *testing.T) {
	t.Parallel()
	result := message.Head{Role: message.RoleToolResult, ToolName: "read", Content: message.Content{Kind: message.ContentText, Chars: 4000}}
	for leaf, want := range map[string]bool{"r0": true, "other": false} {
		session := &recorded{lines: map[string]string{}}
		session.add(message.Entry{Type: message.EntryMessage, Message: result, Body: message.Span{End: 4000}}, leaf, "")
		w := &world{session: session}
		store := &markedStore{surroundings: surroundings{w}}
		asks := system{name: "asks", handle: func(ctx context.Context, c *hooks.Call) error {
			if short, err := hooks.Shortened(ctx, c); short != want || err != nil {
				t.Errorf("at %s: shortened: %v, %v", leaf, short, err)
			}
			return nil
		}}
		d, _ := dispatcher(t, asks, asks, asks)
		d.World = markedWorld{w, store}
		r := request(hooks.EventTurnEnd, `{}`)
		r.Session.LeafID = leaf
		d.Handle(t.Context(), r, 0)
		if store.reads != 1 {
			t.Errorf("at %s: three systems read the marks %d times", leaf, store.reads)
		}
	}
}
