package recall

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/hooks"
)

// toolsFile declares the tools: every token of it is sent with every request. seedTools
// says the same as pi-lcm does.
//
//go:embed tools.json
var toolsFile []byte

//go:embed tools_seed.json
var seedTools []byte

// History stores the session's entries and lets the model search and expand them.
type History struct {
	// Now is the clock.
	Now func() time.Time
	// Behind is how much of the project's sessions is still to be read, in percent.
	// The calls of one process share it.
	Behind *atomic.Int32
	// Blobs returns the cache in which an id is looked up that no entry has; it may be
	// nil.
	Blobs func(set *config.Config, root string) *blob.Store
}

// grepTime bounds a search that no index answers and that reads texts instead.
const grepTime = 5 * time.Second

// Name implements System.
func (History) Name() string { return "history" }

// Declare implements System.
func (History) Declare(c *config.Config, h *hooks.Hello) {
	if !c.History.Enabled {
		return
	}
	h.Want(hooks.EventSessionStart, hooks.EventTurnEnd, hooks.EventAgentEnd, hooks.EventBeforeCompact, hooks.EventSessionShutdown)
	h.Offer(wording(c, toolsFile, seedTools), hooks.ToolTime)
}

// wording is the file that declares tools under the settings.
func wording(c *config.Config, lean, seed []byte) []byte {
	if c.Tools == config.ToolsSeed {
		return seed
	}
	return lean
}

// Useful implements hooks.Declarer: there is text to bring back, and a store to find it
// in.
func (History) Useful(ctx context.Context, c *hooks.Call) (bool, error) {
	if _, err := c.Project.Store(ctx); err != nil {
		return false, nil //nolint:nilerr // what needs the store says so
	}
	if c.Project.Config().Config.Declare == config.DeclareAlways {
		return true, nil
	}
	return hooks.Shortened(ctx, c)
}

// Handle implements System.
func (s History) Handle(ctx context.Context, c *hooks.Call) error {
	if !c.Project.Config().Config.History.Enabled {
		return nil
	}
	switch c.Event {
	case hooks.EventSessionStart, hooks.EventBeforeCompact:
		return s.ingest(ctx, c)
	case hooks.EventSessionShutdown: // the agent ends its processes when it has the reply
		ctx, cancel := context.WithTimeout(ctx, endTime)
		defer cancel()
		return patiently(ctx, c.Project.Busy, func() error { return s.ingest(ctx, c) })
	case hooks.EventTool:
		return s.tool(ctx, c)
	}
	return nil
}

// ingest stores the entries of the session's file that the store lacks.
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
	note(c, rep.Added)
	if errors.Is(err, fs.ErrNotExist) { // the agent has not begun it
		return nil
	}
	return err
}

// endTime is how long the end of a session waits for another writer: less than an agent
// waits for it. What is not stored then is noted at the end of the event, see
// hooks.Storage.Maintain, and stored before anybody asks for it.
const endTime = 1800 * time.Millisecond

// note logs how many entries were stored.
func note(c *hooks.Call, stored int) {
	if stored > 0 {
		c.Note(fmt.Sprintf("stored %d entries", stored))
	}
}

// After implements Worker. What a turn added is stored when the agent has gone on:
// everything else reads it from the session's file. At the start of a session the
// project's other sessions are read.
func (s History) After(ctx context.Context, c *hooks.Call, push func(...hooks.Effect)) error {
	switch {
	case !c.Project.Config().Config.History.Enabled:
		return nil
	case c.Is(hooks.EventTurnEnd):
		return s.ingest(ctx, c)
	case c.Is(hooks.EventAgentEnd):
		if err := s.ingest(ctx, c); err != nil {
			return err
		}
		return s.derive(ctx, c, idleTime)
	case c.Is(hooks.EventSessionStart) && !c.Nested:
		return s.catchUp(ctx, c, push)
	}
	return nil
}

// How long the indexes of parts of words are worked on: when the agent is idle, and
// when a session begins, after other sessions were read.
const (
	idleTime  = 200 * time.Millisecond
	startTime = 10 * time.Minute
)

// derive works on the indexes of parts of words. It pauses half of the time, because the
// agent goes on meanwhile.
func (s History) derive(ctx context.Context, c *hooks.Call, limit time.Duration) error {
	if c.Project.File() == nil {
		return nil
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	const pause = 5 * time.Millisecond
	end := s.Now().Add(limit)
	_, err = st.Index.Derive(ctx, func() bool {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(pause):
			return s.Now().After(end)
		}
	})
	return err
}

// statusIndexing is the key of the footer while the project is being read.
const statusIndexing = "pictx.history"

// catchUp stores the project's other session files, the latest first.
func (s History) catchUp(ctx context.Context, c *hooks.Call, push func(...hooks.Effect)) error {
	files, err := c.Project.Unread(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	defer s.behind(0)
	shown := false
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.behind(100 - 100*i/len(files))
		rep, err := history.Ingest(ctx, st.History, f, history.Options{Small: true})
		var bad *history.StoreError
		if errors.As(err, &bad) {
			return err
		}
		if !shown && rep.Bytes > 4<<20 { // long enough that the user may wonder
			shown = true
			push(hooks.Status(statusIndexing, "indexing sessions"))
		}
	}
	if shown {
		push(hooks.Status(statusIndexing, ""))
	}
	return s.derive(ctx, c, startTime)
}

func (s History) behind(percent int) {
	if s.Behind != nil {
		s.Behind.Store(int32(percent))
	}
}

// tool runs a tool of the model.
func (s History) tool(ctx context.Context, c *hooks.Call) error {
	var p hooks.ToolCall
	if err := c.Read(&p); err != nil {
		return err
	}
	if p.Name == recall.ExpandTool {
		return s.expand(ctx, c, p.Params)
	}
	if err := s.ingest(ctx, c); err != nil && !c.Project.Busy(err) {
		return err
	}
	a, err := s.grep(ctx, c, p.Params)
	return answer(c, a, err)
}

func (s History) grep(ctx context.Context, c *hooks.Call, params []byte) (recall.Answer, error) {
	q, err := recall.ParseGrep(params)
	if err != nil {
		return recall.Answer{}, err
	}
	st, err := c.Project.Search(ctx, q.Scope)
	if err != nil {
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
		q.Note = s.reading()
	}
	if s.Blobs != nil {
		q.Spills = history.InBlobs(s.Blobs(&c.Project.Config().Config, c.Project.Root))
	}
	return recall.GrepText(ctx, st.Search, q)
}

// expand gives the model a summary or the original of an entry.
func (s History) expand(ctx context.Context, c *hooks.Call, params []byte) error {
	if done, err := expandSummary(ctx, c, params); done {
		return err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	ports := recall.Ports{
		File: c.Project.File(), Store: st.History, Busy: c.Project.Busy, Entries: s.withBlobs(st.Search.Entries, c),
	}
	if c.Session.File == "" { // a session in memory has a store of its own
		ports.Elsewhere = func(ctx context.Context) (history.Expander, error) {
			st, err := c.Project.Search(ctx, recall.ScopeProject)
			return s.withBlobs(st.Entries, c), err
		}
	}
	a, stored, err := ports.Recall(ctx, params, recall.ExpandRequest{First: []string{c.Session.ID}, Note: s.reading()})
	note(c, stored)
	return answer(c, a, err)
}

// withBlobs returns an Expander that also finds blobs, if there is a cache.
func (s History) withBlobs(st history.Expander, c *hooks.Call) history.Expander {
	if s.Blobs == nil {
		return st
	}
	return hooks.WithBlobs(st, s.Blobs(&c.Project.Config().Config, c.Project.Root))
}

// reading tells the model which part of the project cannot be found yet, "" for none.
func (s History) reading() string {
	if s.Behind == nil || s.Behind.Load() == 0 {
		return ""
	}
	return fmt.Sprintf("indexing %d %%", 100-s.Behind.Load())
}
