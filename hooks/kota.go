package hooks

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
)

// Kota lets the model query the code index of its project (TypeScript, JavaScript and Go),
// and briefs it on files that a prompt names.
//
// It declares nothing in a project without such code. The first index of a project needs a
// person's consent. From then on the index is brought up to date before each question.
type Kota struct {
	// Present reports whether the project of this process has such code. It reads a few
	// directories at most.
	Present func() bool
	// Open returns the index and the engine for the project of a request.
	Open func(r *Request, c *config.Resolved) (code.Project, error)
	// Blobs stores answers that are too long to send whole.
	Blobs Blobs
	// Prune pins results.
	Prune Prune
}

// kotaFile declares the tools of Kota.
//
//go:embed kota_tools.json
var kotaFile []byte

// Name implements System.
func (Kota) Name() string { return "kota" }

// Declare implements System.
func (s Kota) Declare(c *config.Config, h *Hello) {
	if !s.on(c) {
		return
	}
	h.Offer(kotaFile, int(AskedTime.Milliseconds()))
	h.Want(EventSessionStart)
	if c.Prune.Enabled && c.Prune.Kota.PinImpact {
		h.Want(EventTurnEnd)
	}
	if c.Kota.AutoContext != config.ContextOff {
		h.Want(EventBeforeAgent)
	}
}

// Useful implements Declarer: the tools are useful once an index exists, which somebody
// asked for.
func (s Kota) Useful(_ context.Context, c *Call) (bool, error) {
	if c.Project.Config().Config.Declare == config.DeclareAlways {
		return true, nil
	}
	p, err := s.Open(c.Request, c.Project.Config())
	return err == nil && p.Index.Exists(), err
}

// on reports whether the project has code to index and the settings allow it.
func (s Kota) on(c *config.Config) bool {
	return c.Kota.Enabled && s.Present != nil && s.Present()
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
	p, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
		return err
	}
	if c.Is(EventTool) {
		return s.tool(ctx, c, p)
	}
	if !c.Nested {
		c.Add(kotaStatus(p))
	}
	return nil
}

// After implements Worker: at the start of a session it indexes the changes since the last
// one, so that the first question does not have to wait for it.
func (s Kota) After(ctx context.Context, c *Call, push func(...Effect)) error {
	if !c.Is(EventSessionStart) || c.Nested || !s.on(&c.Project.Config().Config) {
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
func (s Kota) tool(ctx context.Context, c *Call, p code.Project) error {
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
			return c.toolError(ctx, err)
		}
	}
	if index {
		return s.tellIndexed(ctx, c, p)
	}
	return s.answer(ctx, c, p, q)
}

// parseQuestion reads a tool call.
func parseQuestion(payload []byte) (code.Question, error) {
	var call ToolCall
	var p code.Params
	if err := Decode(payload, &call); err != nil {
		return code.Question{}, fmt.Errorf("read call: %w", err)
	}
	if err := Decode(call.Params, &p); err != nil {
		return code.Question{}, fmt.Errorf("%s: the parameters do not have the types that it declares", call.Name)
	}
	return code.NewQuestion(call.Name, p)
}

// answer answers a question from the index.
func (s Kota) answer(ctx context.Context, c *Call, p code.Project, q code.Question) error {
	set := c.Project.Config().Config
	var details *blob.Details
	keep := func(whole string) string {
		if !set.Blobs.Enabled {
			return "the rest is not kept (blobs.enabled)"
		}
		info, err := s.Blobs.Cache(&set).Put([]byte(whole), c.Session.File)
		if err != nil {
			return "the rest could not be kept"
		}
		details = &blob.Details{Truncated: true, BlobID: info.ID, BlobPath: info.Path, OriginalBytes: len(whole)}
		return "full text: pictx expand " + blob.ShortID(info.ID)
	}
	reply, err := p.Answer(ctx, q, set.Kota.MaxBytes, keep)
	if err != nil {
		return c.toolError(ctx, err)
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
func (c *Call) toolError(ctx context.Context, err error) error {
	c.Result().Error = code.Printable(err.Error())
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		c.Result().Error = fmt.Sprintf("the index did not reply within %.0f s; pictx kota index, in a shell, takes as long as it needs", AskedTime.Seconds())
		return err
	}
	return nil
}

// pinReason is the reason recorded with an automatic pin.
const pinReason = "dependents of a change (prune.pinImpactSummaries)"

// pinImpact pins the kota_impact results of the turn that ends. The model plans a change
// with them, and asking again after the change gives another answer.
func (s Kota) pinImpact(ctx context.Context, c *Call) error {
	set := c.Project.Config().Config.Prune
	if !set.Enabled || !set.Kota.PinImpact {
		return nil
	}
	ids, err := lastImpacts(ctx, c)
	if err != nil || len(ids) == 0 {
		return err
	}
	b, err := s.Prune.branch(ctx, c)
	if err != nil {
		return err
	}
	latest, err := latestPins(ctx, c, b)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(latest, func(p prune.Pin) bool { return p.Target == id && !p.IsPath }) {
			s.Prune.recordPin(c, prune.Pin{Target: id, Reason: pinReason})
		}
	}
	return nil
}

// lastImpacts returns the entries of kota_impact results since the last response of the
// model.
func lastImpacts(ctx context.Context, c *Call) ([]string, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	tree := sess.Entries()
	path := tree.Path(c.Leaf(tree))
	var ids []string
	for i := len(path) - 1; i >= 0 && path[i].Message.Role != message.RoleAssistant; i-- {
		if h := &path[i].Message; h.Role == message.RoleToolResult && h.ToolName == code.ToolImpact && !h.IsError {
			ids = append(ids, path[i].ID)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}
