package recall

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
	"github.com/coctostan/pictx/hooks"
)

// toolsFile declares the tools; every request carries all of it.
//
//go:embed tools.json
var toolsFile []byte

// History stores the session's entries and lets the model search and expand them.
type History struct {
	// Now is the clock.
	Now func() time.Time
	// Behind is the percentage of the project's sessions that is not indexed yet. All
	// calls of a process share it.
	Behind *atomic.Int32
	// Blobs returns the cache that is searched for ids which no entry has.
	Blobs func(set *config.Config, root string) *blob.Store
}

// grepTime bounds a search that has to read texts because no index answers it.
const grepTime = 5 * time.Second

// Name implements System.
func (History) Name() string { return "history" }

// Declare implements System.
func (History) Declare(c *config.Config, h *hooks.Hello) {
	if !c.History.Enabled {
		return
	}
	h.Want(hooks.EventSessionStart, hooks.EventTurnEnd, hooks.EventAgentEnd, hooks.EventBeforeCompact, hooks.EventSessionShutdown)
	h.Offer(toolsFile, hooks.ToolTime)
}

// Useful implements hooks.Declarer: searching is useful where other sessions are stored, and
// all tools once part of the session has left the context.
func (History) Useful(ctx context.Context, c *hooks.Call, tool string) (bool, error) {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return false, nil //nolint:nilerr // the systems that need the store report the error
	}
	if c.Project.Config().Config.Declare == config.DeclareAlways {
		return true, nil
	}
	if shortened, err := hooks.Shortened(ctx, c); shortened || err != nil || tool != recall.GrepTool {
		return shortened, err
	}
	return st.Search.Forks.Others(ctx, c.Session.ID)
}

// Handle implements System.
func (s History) Handle(ctx context.Context, c *hooks.Call) error {
	if !c.Project.Config().Config.History.Enabled {
		return nil
	}
	switch c.Event {
	case hooks.EventSessionStart, hooks.EventBeforeCompact:
		return s.ingest(ctx, c)
	case hooks.EventSessionShutdown: // the agent kills its processes once it has the reply
		ctx, cancel := context.WithTimeout(ctx, endTime)
		defer cancel()
		return patiently(ctx, c.Project.Busy, func() error { return s.ingest(ctx, c) })
	case hooks.EventTool:
		return s.tool(ctx, c)
	}
	return nil
}

// ingest stores the entries of the session file that the store lacks.
func (History) ingest(ctx context.Context, c *hooks.Call) error {
	file := c.Project.File()
	if file == nil {
		return nil
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	rep, err := history.Ingest(ctx, st.History, file, history.Options{Small: true})
	if rep.Added > 0 {
		c.Note("stored " + text.CountPlain(rep.Added, "entry"))
	}
	if errors.Is(err, fs.ErrNotExist) { // the agent has not written it yet
		return nil
	}
	return err
}

// endTime is how long the end of a session waits for another writer, which is less than the
// agent waits. What is still not stored then is stored at the start of the next session.
const endTime = 1800 * time.Millisecond

// After implements Worker. The entries of a turn are stored after the reply, because
// everything else reads them from the session file. The start of a session stores the other
// sessions of the project.
func (s History) After(ctx context.Context, c *hooks.Call, push func(...hooks.Effect)) error {
	switch {
	case !c.Project.Config().Config.History.Enabled:
		return nil
	case c.Is(hooks.EventTurnEnd, hooks.EventCompact, hooks.EventAgentEnd):
		return s.ingest(ctx, c)
	case c.Is(hooks.EventSessionStart) && !c.Nested:
		return s.catchUp(ctx, c, push)
	}
	return nil
}

// statusIndexing is the footer key of indexing.
const statusIndexing = "pictx.history"

// catchUp stores the other session files of the project, newest first. When the session ends,
// it leaves the rest to the next start.
func (s History) catchUp(ctx context.Context, c *hooks.Call, push func(...hooks.Effect)) error {
	files, err := c.Project.Unread(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	defer s.Behind.Store(0)
	shown := false
	for i, f := range files {
		if _, ends := ctx.Deadline(); ends || ctx.Err() != nil {
			return ctx.Err()
		}
		s.Behind.Store(int32(100 - 100*i/len(files)))
		rep, err := history.Ingest(ctx, st.History, f, history.Options{Small: true})
		if errors.As(err, new(*history.StoreError)) {
			return err
		}
		if !shown && rep.Bytes > 4<<20 { // slow enough for the user to notice
			shown = true
			push(hooks.Status(statusIndexing, "indexing sessions"))
		}
	}
	if shown {
		push(hooks.Status(statusIndexing, ""))
	}
	return nil
}

// tool runs a tool call.
func (s History) tool(ctx context.Context, c *hooks.Call) error {
	var p hooks.ToolCall
	if err := c.Read(&p); err != nil {
		return err
	}
	if err := s.ingest(ctx, c); err != nil && !c.Project.Busy(err) { // what is stored already is looked up nevertheless
		return err
	}
	run := s.grep
	if p.Name == recall.ExpandTool {
		run = s.expand
	}
	a, err := run(ctx, c, p.Params)
	return answer(c, a, err)
}

func (s History) grep(ctx context.Context, c *hooks.Call, params []byte) (recall.Answer, error) {
	q, err := recall.ParseGrep(params)
	if err != nil {
		return recall.Answer{}, err
	}
	if q.Shell, err = lacksExpand(ctx, c); err != nil {
		return recall.Answer{}, err
	}
	if q.Scope != "" {
		return s.search(ctx, c, q)
	}
	q.Scope = recall.ScopeSession
	a, err := s.search(ctx, c, q)
	if d, ok := a.Details.(recall.GrepDetails); err != nil || !ok || d.ResultCount > 0 && !d.Weak || q.Cursor != (history.Cursor{}) {
		return a, err
	}
	q.Scope = recall.ScopeProject
	return s.search(ctx, c, q)
}

// lacksExpand reports whether the prompt of a session declares lcm_grep without lcm_expand.
func lacksExpand(ctx context.Context, c *hooks.Call) (bool, error) {
	var last tool.Declared
	err := hooks.EachCustom(ctx, c, tool.DeclaredEntry, func(d tool.Declared, _ *message.Node) { last = d })
	return slices.Contains(last.Names, recall.GrepTool) && !slices.Contains(last.Names, recall.ExpandTool), err
}

// search answers a call whose scope is chosen.
func (s History) search(ctx context.Context, c *hooks.Call, q recall.GrepRequest) (recall.Answer, error) {
	st, err := c.Project.Search(ctx, q.Scope)
	if err != nil {
		return recall.Answer{}, err
	}
	if q.Filter.Except, err = asked(ctx, c); err != nil {
		return recall.Answer{}, err
	}
	end := s.Now().Add(grepTime)
	q.Stop = func() bool { return s.Now().After(end) }
	if q.Scope == recall.ScopeSession {
		if q.Filter.Sessions, err = st.Forks.Family(ctx, c.Session.ID); err != nil {
			return recall.Answer{}, err
		}
		if len(q.Filter.Sessions) == 0 {
			q.Filter.Sessions = []string{c.Session.ID}
		}
	} else {
		q.Note = s.progress()
	}
	q.Spills = history.InBlobs(s.blobs(c))
	return recall.GrepText(ctx, st.Search, q)
}

// asked returns what the user said in the running turn, as far as it is in the context. It
// has the words of the question, so it would be the first result.
func asked(ctx context.Context, c *hooks.Call) (history.Known, error) {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return history.Known{}, err
	}
	const most = 16 // the prompt, and what the user added while the agent worked
	tree := session.Entries()
	k := history.Known{Session: c.Session.ID}
	for _, it := range slices.Backward(tree.Context(c.Leaf(tree))) {
		switch h := it.Head; {
		case len(k.Entries) == most, h.Role == message.RoleAssistant && len(h.Calls) == 0 && !message.Voided(h):
			return k, nil // the turn before ended here
		case h.Role == message.RoleUser:
			k.Entries = append(k.Entries, it.Node.ID)
		}
	}
	return k, nil
}

// expand returns a summary or the original of an entry to the model.
func (s History) expand(ctx context.Context, c *hooks.Call, params []byte) (recall.Answer, error) {
	r, err := recall.ParseExpand(params)
	if err != nil {
		return recall.Answer{}, err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return recall.Answer{}, err
	}
	if key := summary.KeyIn(r.ID); key != "" {
		return summary.ExpandText(ctx, st.Summaries, key, r)
	}
	r.First, r.Note = []string{c.Session.ID}, s.progress()
	a, err := recall.ExpandText(ctx, hooks.WithBlobs(st.Search.Entries, s.blobs(c)), r)
	if c.Session.File != "" || !errors.As(err, new(*recall.BadCallError)) {
		return a, err
	}
	project, err := c.Project.Search(ctx, recall.ScopeProject) // a session in memory has a store of its own
	if err != nil {
		return recall.Answer{}, err
	}
	return recall.ExpandText(ctx, hooks.WithBlobs(project.Entries, s.blobs(c)), r)
}

func (s History) blobs(c *hooks.Call) *blob.Store {
	return s.Blobs(&c.Project.Config().Config, c.Project.Root)
}

// progress tells the model how far the project is indexed, "" when it is complete.
func (s History) progress() string {
	if behind := s.Behind.Load(); behind > 0 {
		return fmt.Sprintf("indexing %d %%", 100-behind)
	}
	return ""
}
