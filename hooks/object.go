package hooks

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
)

// objectToolsFile holds the tool declarations of Objects.
//
//go:embed object_tools.json
var objectToolsFile []byte

// Objects stores what a session reads, runs and says as versioned objects, and lets the
// model choose which of them it wants in its context. Prune removes the others, with the
// same planner as everything else. In the layout "pools" this system lays out the context
// itself.
type Objects struct {
	// Files gives access to the files of a call's project.
	Files func(c *Call) object.Files
	// Now is the clock.
	Now func() time.Time
}

// Name implements System.
func (Objects) Name() string { return "objects" }

// Declare implements System.
func (Objects) Declare(c *config.Config, h *Hello) {
	if !c.Objects.Enabled {
		return
	}
	h.Want(EventBeforeAgent, EventTurnEnd, EventAgentEnd)
	if !inUse(c.Objects) {
		return
	}
	h.Want(EventSessionStart)
	switch {
	case c.Objects.Layout == config.LayoutPools:
		h.Want(EventContext)
	case !c.Objects.Tools:
		return
	}
	h.Offer(objectToolsFile, ToolTime)
}

// inUse reports whether the agent has tools for objects, or its context is laid out by them. Otherwise
// only versions of files are recorded, and what a person activates in a shell is shown.
func inUse(o config.Objects) bool { return o.Tools || o.Layout == config.LayoutPools }

// inPools reports whether the context is laid out in pools. Every request would invalidate the
// thinking of a model that binds it; for such a model the layout is "inline".
func inPools(c *Call) bool {
	o := c.Project.Config().Config.Objects
	return o.Enabled && o.Layout == config.LayoutPools && !c.binds()
}

// Handle implements System.
func (s Objects) Handle(ctx context.Context, c *Call) error {
	if !c.Project.Config().Config.Objects.Enabled {
		return nil
	}
	switch {
	case c.Is(EventTool):
		return s.tool(ctx, c)
	case c.Is(EventContext) && inPools(c):
		return s.pools(ctx, c)
	case c.Is(EventBeforeAgent) && !inPools(c) && captures(c):
		return s.bringActivated(ctx, c)
	}
	return nil
}

// records reports whether objects of the session may be stored once it has a file.
func records(c *Call) bool {
	set := c.Project.Config().Config
	return set.Objects.Enabled && set.History.Enabled && !c.Nested
}

// captures reports whether objects of the session may be stored.
func captures(c *Call) bool { return records(c) && c.Project.File() != nil }

// After implements Worker: it captures objects of a turn after the reply, so that the agent
// does not wait.
func (s Objects) After(ctx context.Context, c *Call, _ func(...Effect)) error {
	used := inUse(c.Project.Config().Config.Objects)
	switch {
	case c.Is(EventBeforeAgent) && used:
		return s.prompt(ctx, c)
	case !c.Is(EventSessionStart, EventTurnEnd, EventAgentEnd), c.Is(EventSessionStart) && !used, !captures(c):
		return nil
	}
	defer c.Project.Close()
	work, err := s.turn(ctx, c, c.Project.Close) // the next request needs the session
	if err != nil || c.Is(EventTurnEnd) || !used {
		return err
	}
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	if c.Is(EventAgentEnd) {
		err = work.Chat(ctx, sess.Entries(), c.Session.LeafID, sess.Line)
	}
	_, looked := work.Refresh(ctx)
	return errors.Join(err, looked)
}

// turn captures what is new in the session. It calls release before it writes.
func (s Objects) turn(ctx context.Context, c *Call, release func()) (*object.Capture, error) {
	work, err := s.capture(ctx, c)
	if err != nil {
		return nil, err
	}
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	work.Release = release
	_, err = work.Turn(ctx, sess.Entries(), c.Session.LeafID, sess.Line)
	return work, err
}

// capture prepares the capture of the session.
func (s Objects) capture(ctx context.Context, c *Call) (*object.Capture, error) {
	st, err := c.Project.Store(ctx)
	return &object.Capture{
		Store: st.Objects, Files: s.Files(c), Session: c.Session.ID, CWD: c.CWD,
		Unlisted: !inUse(c.Project.Config().Config.Objects),
	}, err
}

// prompt captures the system prompt when it is new. pi sends it once, before the session
// has a file, so it is stored for any session that is going to have one.
func (s Objects) prompt(ctx context.Context, c *Call) error {
	if !records(c) || c.Project.Stored == nil {
		return nil
	}
	var p BeforeAgent
	if err := c.Read(&p); err != nil || p.SystemPrompt == nil {
		return err
	}
	work, err := s.capture(ctx, c)
	if err != nil {
		return err
	}
	return work.SystemPrompt(ctx, c.Session.LeafID, *p.SystemPrompt)
}

// storedStates returns the state changes in the store: those made in a shell, and those of
// tools whose entry the session lost. When the store cannot be read there are none, and the
// states recorded in the session apply.
func storedStates(ctx context.Context, c *Call, b *prune.Branch) []state.Change {
	changes, err := callStore{c}.StateChanges(ctx, c.Session.ID, func() []prune.Shown { return b.Shown(c.CWD) })
	if err != nil {
		return nil
	}
	return changes
}

// StateChanges implements prune.StateReader. Without history it opens no store, since that
// would create one.
func (s callStore) StateChanges(ctx context.Context, session string, shown func() []prune.Shown) ([]state.Change, error) {
	if !s.Project.Config().Config.History.Enabled {
		return nil, nil
	}
	st, err := s.Project.Store(ctx)
	if err != nil {
		return nil, err
	}
	events, err := st.Objects.StateEvents(ctx, session)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	return object.Changes(events, shown()), nil
}

// statesOn returns the states of objects on a branch. State changes that the session lacks
// are added to the reply: only the agent may write the session.
func statesOn(ctx context.Context, c *Call, b *prune.Branch) (state.States, error) {
	if !c.Project.Config().Config.Objects.Enabled {
		return state.States{}, nil
	}
	states, carry, err := b.States(storedStates(ctx, c, b))
	carryStates(c, carry)
	return states, err
}

// carryStates has the agent record state changes in the session.
func carryStates(c *Call, changes []state.Change) {
	if len(changes) > 0 {
		c.Add(AppendEntry(state.Entry, state.Data{States: changes}))
	}
}

// pools lays out the next context in pools.
func (Objects) pools(ctx context.Context, c *Call) error {
	var p ContextKeys
	if err := c.Read(&p); err != nil {
		return err
	}
	c.Reply.Next = &Next{Context: ContextAsk}
	b, err := branchOf(ctx, c)
	if err != nil {
		return err
	}
	b.Unmark()
	states, err := statesOn(ctx, c, b)
	if err != nil {
		return err
	}
	pins, err := latestPins(ctx, c, b)
	if err != nil {
		return err
	}
	b.Align(keysOf(p.Keys))
	sit := policy.Situation{CWD: c.CWD, States: states, Pins: prune.PinsOf(pins)}
	plan := object.Planner(c.Session.ID, policy.SeedWindow()).PlanAt(sit, b.Messages)
	var named map[string][]object.Version
	if st, err := c.Project.Store(ctx); err == nil {
		named, _ = st.Objects.Named(ctx, c.Session.ID) // without it they are left out
	}
	l := object.Arrange(c.Session.ID, b.Messages, plan, named, c.CWD)
	r := c.Result()
	for _, p := range l.References {
		index := p.Index
		r.Edits = append(r.Edits, ContextEdit{Index: &index, Content: message.TextContent(p.Text)})
	}
	if l.Catalogue != "" {
		r.Insert = append(r.Insert, Insert{Before: jsontext.Value("0"), Message: object.CatalogueMessage(l.Catalogue)})
	}
	active, err := l.Contents(func(a object.Slot) (*message.Head, []byte, error) {
		h, raw, err := b.Original(b.Messages[a.Index].EntryID)
		return &h, raw, err
	})
	for _, m := range active {
		r.Insert = append(r.Insert, Insert{Before: jsontext.Value(strconv.Quote(atEnd)), Message: m})
	}
	return err
}

// atEnd is the value of Insert.Before for the end of the context.
const atEnd = "end"
