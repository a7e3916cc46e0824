package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	_ "embed"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
)

// Kota lets the model ask about the TypeScript and JavaScript of its project, and
// briefs it on files that a prompt names.
//
// Nothing of it is there in a project that has no such code. A project is indexed
// once somebody agreed to it; from then on every answer is about the files as they
// are.
type Kota struct {
	// Here reports whether the project of this process has such code. It looks at a
	// few directories at most.
	Here func() bool
	// Open returns what answers for the project of a request.
	Open func(r *Request, c *config.Resolved) (Code, error)
	// Blobs keeps answers that are too long.
	Blobs Blobs
	// Prune pins results.
	Prune Prune
}

// Code answers questions about the code of one project.
type Code interface {
	// Repo is a short name of the project.
	Repo() string
	// Indexed reports whether there is an index to answer from.
	Indexed() bool
	// Process is what the process that answers is doing: stopped, starting or
	// running; "" when there is none.
	Process() string
	// Contains reports whether a path, relative to the working directory or
	// absolute, is of the project.
	Contains(path string) bool
	// Index makes the index, or brings it up to date. progress is told how far it
	// is, in percent; it may be nil.
	Index(ctx context.Context, progress func(percent int)) error
	// Status says what the index holds.
	Status(ctx context.Context) (CodeStatus, error)
	// Restart ends what runs, so that the next question starts it anew, and says
	// what it did.
	Restart(ctx context.Context) (string, error)
	// Ask answers a question in at most budget bytes. keep is handed the whole of a
	// longer answer and says how it is had.
	Ask(ctx context.Context, q CodeQuestion, budget int, keep func(whole string) string) (string, error)
	// Named lists the files of the project that a prompt names.
	Named(ctx context.Context, prompt string) ([]string, error)
	// Brief says in at most budget bytes what is to be known of files.
	Brief(ctx context.Context, files []string, budget int) (string, error)
}

// CodeStatus is what is known of an index.
type CodeStatus struct {
	Engine  string // and what it runs, if anything
	Root    string
	Index   string // its file, "" when it is elsewhere
	Updated int64  // when it was last written, in Unix milliseconds, 0 for unknown
	Lines   []string
}

// What Kota declares.
//
//go:embed kota_tools.json
var kotaFile []byte

// The tools of Kota.
const (
	toolIndex   = "kota_index"
	toolSearch  = "kota_search"
	toolDeps    = "kota_deps"
	toolUsages  = "kota_usages"
	toolImpact  = "kota_impact"
	toolContext = "kota_task_context"
)

// Name implements System.
func (Kota) Name() string { return "kota" }

// Declare implements System.
func (s Kota) Declare(c *config.Config, h *Hello) {
	if !s.on(c) {
		return
	}
	var declared struct{ Tools []Tool }
	if err := json.Unmarshal(kotaFile, &declared); err != nil {
		return // a test reads the file too
	}
	for _, t := range declared.Tools {
		h.Tools = append(h.Tools, t)
		h.Timeouts.Tool[t.Name] = int(askedTime.Milliseconds())
	}
	h.Want(EventSessionStart)
	if c.Prune.Enabled && c.Prune.Kota.PinImpact {
		h.Want(EventTurnEnd)
	}
	if c.Kota.AutoContext != config.ContextOff {
		h.Want(EventBeforeAgent)
	}
}

// on reports whether there is anything to ask about, and somebody may.
func (s Kota) on(c *config.Config) bool {
	return c.Kota.Enabled && s.Here != nil && s.Here()
}

// Handle implements System.
func (s Kota) Handle(ctx context.Context, c *Call) error {
	set := &c.Project.Config().Config
	switch {
	case !c.Is(EventSessionStart, EventBeforeAgent, EventTurnEnd, EventTool),
		c.Is(EventBeforeAgent) && set.Kota.AutoContext == config.ContextOff, !s.on(set):
		return nil
	}
	switch c.Event {
	case EventTurnEnd:
		return s.pinImpact(ctx, c)
	case EventBeforeAgent:
		return s.brief(ctx, c)
	}
	code, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
		return err
	}
	if c.Is(EventTool) {
		return s.tool(ctx, c, code)
	}
	if !c.Nested {
		c.Add(kotaStatus(code))
	}
	return nil
}

// After implements Worker: what changed while no session ran is read before
// somebody asks.
func (s Kota) After(ctx context.Context, c *Call, push func(...Effect)) error {
	if !c.Is(EventSessionStart) || c.Nested || !s.on(&c.Project.Config().Config) {
		return nil
	}
	code, err := s.Open(c.Request, c.Project.Config())
	if err != nil || !code.Indexed() || code.Process() != "" {
		return err // what has a process is asked when somebody asks
	}
	return indexed(ctx, code, push)
}

// tool answers a tool of the model.
func (s Kota) tool(ctx context.Context, c *Call, code Code) error {
	q, err := ParseCodeQuestion(c.Payload)
	if err != nil {
		c.Result().Error = err.Error()
		return nil //nolint:nilerr // the model is told
	}
	if q.Tool == toolIndex && q.Path != "" && !code.Contains(q.Path) {
		c.Result().Error = "index " + text.LogLine(q.Path) + ": it is not in this project, whose session this is"
		return nil
	}
	fresh := !code.Indexed()
	if fresh {
		if why, ok := s.agreed(ctx, c, code, q.Tool == toolIndex); !ok {
			if why != "" {
				c.Result().Error = why
			}
			return nil
		}
	}
	if fresh || q.Tool == toolIndex {
		if err := s.makeIndex(ctx, c, code); err != nil {
			return c.toolError(ctx, err)
		}
	}
	if q.Tool == toolIndex {
		return s.tellIndexed(ctx, c, code)
	}
	return s.answer(ctx, c, code, q)
}

// answer answers a question from the index.
func (s Kota) answer(ctx context.Context, c *Call, code Code, q CodeQuestion) error {
	set := c.Project.Config().Config
	var details *blob.Details
	keep := func(whole string) string {
		if !set.Blobs.Enabled {
			return "the rest is not kept (blobs.enabled)"
		}
		info, err := s.Blobs.Cache(set.Blobs).Put([]byte(whole), c.Session.File)
		if err != nil {
			return "the rest could not be kept"
		}
		details = &blob.Details{Truncated: true, BlobID: info.ID, BlobPath: info.Path, OriginalBytes: len(whole)}
		return "full text: pictx expand " + blob.ShortID(info.ID)
	}
	text, err := code.Ask(ctx, q, codeBudget(set.Kota)-len(q.note()), keep)
	if err != nil {
		return c.toolError(ctx, err)
	}
	text += q.note()
	c.Result().Text = text
	if code.Process() != "" { // it may run by now
		c.Add(kotaStatus(code))
	}
	if details != nil {
		details.ExcerptBytes = len(text)
		c.Result().Details = details
	}
	return nil
}

// leastAnswer is how many bytes an answer has in any case.
const leastAnswer = 400

// codeBudget is how many bytes an answer may have.
func codeBudget(c config.Code) int { return max(c.MaxBytes, leastAnswer) }

// toolError tells the model what went wrong.
func (c *Call) toolError(ctx context.Context, err error) error {
	c.Result().Error = fenced(err.Error())
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		c.Result().Error = fmt.Sprintf("no answer within %.0f s; pictx kota index, in a shell, takes as long as it needs", askedTime.Seconds())
		return err
	}
	return nil
}
