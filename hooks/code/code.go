package code

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// System lets the model query the code index of its project (TypeScript, JavaScript and Go),
// and briefs it on files that a prompt names.
//
// It declares nothing in a project without such code. The first index of a project needs a
// person's consent. From then on the index is brought up to date before each question.
type System struct {
	// Present reports whether the project of this process has such code. It reads a few
	// directories at most.
	Present func() bool
	// Open returns the index and the engine for the project of a request.
	Open func(r *hooks.Request, c *config.Resolved) (code.Project, error)
	// Blobs returns the cache that stores answers too long to send whole.
	Blobs func(*config.Config) *blob.Store
	// Words are further words of the command /kota.
	Words []hooks.Word
	// Now is the clock.
	Now func() time.Time
}

// toolsFile holds the tools that System declares.
//
//go:embed tools.json
var toolsFile []byte

// Name implements System.
func (System) Name() string { return "kota" }

// Declare implements System. The words of pruning and blobs need no code.
func (s System) Declare(c *config.Config, h *hooks.Hello) {
	on := s.on(c)
	if on || c.Prune.Enabled || c.Blobs.Enabled {
		what := "Pruning, pins and full outputs: "
		if on {
			what = "The code index, pruning, pins, full outputs: "
		}
		h.Commands = append(h.Commands, hooks.CommandSpec{Name: commandKota, Description: what + strings.Join(s.words(on), ", "), Complete: true})
		h.Timeouts.Command[commandKota] = int(hooks.AskedTime.Milliseconds())
	}
	if !on {
		return
	}
	h.Offer(toolsFile, int(hooks.AskedTime.Milliseconds()))
	h.Want(hooks.EventSessionStart)
	if c.Kota.AutoContext != config.ContextOff {
		h.Want(hooks.EventBeforeAgent)
	}
}

// Useful implements Declarer: the tools are useful once an index exists, which somebody
// asked for.
func (s System) Useful(_ context.Context, c *hooks.Call, _ string) (bool, error) {
	if c.Project.Config().Config.Declare == config.DeclareAlways {
		return true, nil
	}
	p, err := s.Open(c.Request, c.Project.Config())
	return err == nil && p.Index.Exists(), err
}

// on reports whether the project has code to index and the settings allow it.
func (s System) on(c *config.Config) bool {
	return c.Kota.Enabled && s.Present != nil && s.Present()
}

// Handle implements System.
func (s System) Handle(ctx context.Context, c *hooks.Call) error {
	set := &c.Project.Config().Config
	switch {
	case c.Is(hooks.EventComplete):
		return s.complete(c)
	case c.Is(hooks.EventCommand):
		return s.command(ctx, c)
	case !c.Is(hooks.EventSessionStart, hooks.EventBeforeAgent, hooks.EventTool), !s.on(set):
		return nil
	case c.Is(hooks.EventBeforeAgent):
		if set.Kota.AutoContext == config.ContextOff {
			return nil
		}
		return s.brief(ctx, c)
	}
	p, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
		return err
	}
	if c.Is(hooks.EventTool) {
		return s.tool(ctx, c, p)
	}
	if !c.Nested {
		c.Add(kotaStatus(p))
	}
	return nil
}

// After implements Worker: at the start of a session it indexes the changes since the last
// one, so that the first question does not have to wait for it.
func (s System) After(ctx context.Context, c *hooks.Call, push func(...hooks.Effect)) error {
	if !c.Is(hooks.EventSessionStart) || c.Nested || !s.on(&c.Project.Config().Config) {
		return nil
	}
	p, err := s.Open(c.Request, c.Project.Config())
	if err != nil || !p.Index.Exists() || p.Index.Process() != "" {
		return err // only a question starts an engine that runs as a process
	}
	return updateIndex(ctx, p, push)
}

// tool runs a tool call. A question without an index, and the tool that indexes, make the
// index first.
func (s System) tool(ctx context.Context, c *hooks.Call, p code.Project) error {
	q, err := parseQuestion(c.Payload)
	if err != nil {
		c.Result().Error = err.Error()
		return nil //nolint:nilerr // the model reads the error
	}
	index := q.Tool == code.ToolIndex
	if index && q.Path != "" && !p.Engine.Contains(q.Path) {
		c.Result().Error = "index " + text.LogLine(q.Path) + ": it is not in this project, whose session this is"
		return nil
	}
	fresh := !p.Index.Exists()
	if fresh {
		if d := s.consent(ctx, c, p, index); d != code.Allowed {
			if why := d.Reason(); why != "" {
				c.Result().Error = why
			}
			return nil
		}
	}
	if fresh || index {
		if err := s.makeIndex(ctx, c, p); err != nil {
			return toolError(ctx, c, err)
		}
	}
	if index {
		text, err := indexed(ctx, p)
		if err != nil {
			return toolError(ctx, c, err)
		}
		c.Result().Text = text
		return nil
	}
	return s.answer(ctx, c, p, q)
}

// parseQuestion reads a tool call.
func parseQuestion(payload []byte) (code.Question, error) {
	var call hooks.ToolCall
	var p code.Params
	if err := hooks.Decode(payload, &call); err != nil {
		return code.Question{}, fmt.Errorf("read call: %w", err)
	}
	if err := hooks.Decode(call.Params, &p); err != nil {
		return code.Question{}, fmt.Errorf("%s: the parameters do not have the types that it declares", call.Name)
	}
	return code.NewQuestion(call.Name, p)
}

// answer answers a question from the index.
func (s System) answer(ctx context.Context, c *hooks.Call, p code.Project, q code.Question) error {
	set := c.Project.Config().Config
	var details *blob.Details
	keep := func(whole string) string {
		if !set.Blobs.Enabled {
			return "the rest is not kept (blobs.enabled)"
		}
		info, err := s.Blobs(&set).Put(ctx, []byte(whole), c.Session.File)
		if err != nil {
			return "the rest could not be kept"
		}
		details = &blob.Details{Truncated: true, BlobID: info.ID, BlobPath: info.Path, OriginalBytes: len(whole)}
		return "full text: pictx expand " + blob.ShortID(info.ID)
	}
	reply, err := p.Answer(ctx, q, set.Kota.MaxBytes, keep)
	if err != nil {
		return toolError(ctx, c, err)
	}
	c.Result().Text = reply
	if p.Index.Process() != "" { // the question may have started it
		c.Add(kotaStatus(p))
	}
	if details != nil {
		details.ExcerptBytes = len(reply)
		c.Result().Details = details
	}
	return nil
}

// toolError returns an error to the model. It is also the error of the call, and so logged,
// when the call ran out of time.
func toolError(ctx context.Context, c *hooks.Call, err error) error {
	c.Result().Error = code.Printable(err.Error())
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		c.Result().Error = fmt.Sprintf("the index did not reply within %.0f s; pictx kota index, in a shell, takes as long as it needs", hooks.AskedTime.Seconds())
		return err
	}
	return nil
}
