package decisions

import (
	"context"
	"errors"

	_ "embed"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// System shows an agent the decisions of its project, tells it about changes, and records
// what its user decides.
//
// The session records what the model was shown: a message with all decisions, and one per
// change. Earlier messages are never changed, so they stay in the provider's cache.
type System struct {
	// Open returns the log of the project in a directory.
	Open func(cwd string) (Log, error)
	// Trusted reports whether the project of a request is trusted, so that its files may be
	// used.
	Trusted func(r *hooks.Request, c *config.Resolved) bool
	// Off names the setting that switched decisions off, "" when they are on.
	Off func(r *hooks.Request) (string, error)
	// Used reports whether the project of this process has a log. Without one the tools are
	// not declared, because every request carries their declarations.
	Used func() bool
	// Run runs a pictx decision command for the user of a request. What it asks is asked by
	// asker, nil where nobody can be asked.
	Run func(ctx context.Context, r *hooks.Request, args []string, asker decision.Asker) Ran
}

// Log is a project's log.
type Log interface {
	// Load returns the state of the log. It rereads the file only after a change.
	Load() (*decision.State, error)
	// Change changes the log as an actor and returns its new state.
	Change(ctx context.Context, actor string, edit func(e *decision.Editor) error) (*decision.State, error)
}

// Ran is the output of a command and its exit code.
type Ran struct {
	Out, Err string
	Code     int
}

// The tools that Decisions declares.
//
//go:embed tools.json
var decisionFile []byte

// Name implements System.
func (System) Name() string { return "decisions" }

// Declare implements System. It declares the command even while decisions are off, because
// the command can switch them on.
func (s System) Declare(c *config.Config, h *hooks.Hello) {
	h.Commands = append(h.Commands, hooks.CommandSpec{Name: commandDecision, Description: "Decisions of this project: add, list, supersede, …", Complete: true})
	h.Timeouts.Command[commandDecision] = int(hooks.AskedTime.Milliseconds())
	if !c.Decisions.Enabled {
		return
	}
	h.Want(hooks.EventBeforeAgent, hooks.EventCompact, hooks.EventAgentEnd)
	if s.Used == nil || !s.Used() {
		return
	}
	h.Want(hooks.EventSessionStart)
	if c.Decisions.Context.Governing != config.GoverningOff {
		h.Want(hooks.EventTurnEnd)
	}
	h.Offer(decisionFile, hooks.ToolTime)
}

// Useful implements Declarer. It reports whether the project is trusted and has decisions.
func (s System) Useful(_ context.Context, c *hooks.Call, _ string) (bool, error) {
	log, err := s.use(c)
	if err != nil || log == nil {
		return false, err
	}
	state, err := log.Load()
	return err == nil && (c.Project.Config().Config.Declare == config.DeclareAlways || len(state.Present()) > 0), err
}

// use returns the log of a call's project, nil when decisions are off or the project is not
// trusted.
func (s System) use(c *hooks.Call) (Log, error) {
	off, err := s.Off(c.Request)
	if err != nil || off != "" || !s.Trusted(c.Request, c.Project.Config()) {
		return nil, err
	}
	return s.Open(c.CWD)
}

// state returns the decisions of the project of a request.
func (s System) state(c *hooks.Call) (*decision.State, error) {
	log, err := s.Open(c.CWD)
	if err != nil {
		return nil, err
	}
	return log.Load()
}

// Handle implements System.
func (s System) Handle(ctx context.Context, c *hooks.Call) error {
	switch {
	case c.Is(hooks.EventCommand):
		return s.command(ctx, c)
	case c.Is(hooks.EventComplete):
		return s.complete(c)
	case c.Is(hooks.EventSessionShutdown) && !c.HasUI && c.Project.Config().Config.Decisions.Enabled:
		// A non-interactive agent may have exited before its last run was processed.
	case c.Is(hooks.EventSessionStart):
		return s.unseen(c)
	case c.Is(hooks.EventTurnEnd):
		return s.governing(ctx, c)
	case !c.Is(hooks.EventBeforeAgent, hooks.EventCompact, hooks.EventAgentEnd, hooks.EventTool):
		return nil
	}
	log, err := s.use(c)
	if err != nil || log == nil {
		if c.Is(hooks.EventTool) {
			c.Result().Error = "decisions are off in this project"
		}
		return err
	}
	switch c.Event {
	case hooks.EventTool:
		return s.tool(ctx, c, log)
	case hooks.EventAgentEnd, hooks.EventSessionShutdown:
		return s.capture(ctx, c, log)
	}
	return s.show(ctx, c, log)
}

// show shows the model the decisions, or changes, that it has not been shown yet.
func (s System) show(ctx context.Context, c *hooks.Call, log Log) error {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	known, err := decision.ShownIn(session, c.Leaf(session.Entries()))
	if err != nil {
		return err
	}
	state, err := log.Load()
	if err != nil {
		return err
	}
	news := state.News(known, c.Project.Config().Config.Decisions.Context.MaxDecisions)
	m := hooks.CustomMessage{CustomType: decision.ShownType, Content: message.AppendQuote(nil, news.Text()), Details: news}
	switch {
	case news.Text() == "":
	case !c.Is(hooks.EventCompact):
		c.Result().Message = &m
	case known == nil: // a change can wait for the next prompt, the first snapshot cannot
		c.Add(hooks.SendMessage(m))
	}
	return nil
}

// unseen tells the user that the agent does not see the project's decisions because the
// trust question is unanswered. A user who answered no is not told.
func (s System) unseen(c *hooks.Call) error {
	if off, err := s.Off(c.Request); err != nil || off != "" || !c.HasUI || c.Trusted == nil || !*c.Trusted || s.Trusted(c.Request, c.Project.Config()) {
		return err
	}
	if s.Used != nil && s.Used() {
		c.Add(hooks.Notify("pictx hides the decisions of this project from the agent until you say that you trust it: /trust.", "info"))
	}
	return nil
}

// toolSearch is the tool with which a model searches the decisions.
const toolSearch = "decisions"

// tool handles a tool call. The model is told what is wrong with it.
func (s System) tool(ctx context.Context, c *hooks.Call, log Log) error {
	var call hooks.ToolCall
	if err := c.Read(&call); err != nil {
		return err
	}
	var p struct {
		Query  string `json:"query"`
		Text   string `json:"text"`
		Reason string `json:"reason"`
	}
	err := hooks.Decode(call.Params, &p)
	switch {
	case err != nil:
		err = errors.New("the parameters are not texts")
	case call.Name == toolSearch:
		var state *decision.State
		if state, err = log.Load(); err != nil {
			return err
		}
		c.Result().Text, err = state.Answer(p.Query)
	default:
		err = s.propose(ctx, c, log, p.Text, p.Reason)
	}
	if err != nil {
		c.Result().Error = text.LogLine(err.Error())
	}
	return nil
}

// propose handles decision_propose: it adds a draft for a person to accept.
func (s System) propose(ctx context.Context, c *hooks.Call, log Log, body, reason string) error {
	if err := decision.CheckSecrets("propose decision", body+"\n"+reason); err != nil {
		return err
	}
	id, compared := "", ""
	_, err := log.Change(ctx, "agent", func(e *decision.Editor) (err error) {
		id, compared, err = e.Propose(body, reason)
		return err
	})
	if err != nil {
		return err
	}
	said := "Proposed as draft " + id + ". It is not binding until the user accepts it: /decision accept " + id
	c.Result().Text, c.Result().Details = text.JoinNonEmpty("\n", said, compared), map[string]any{"id": id}
	c.Add(hooks.Notify("The agent proposes a decision, "+id+": "+text.LogLine(body)+"\n/decision accept "+id+", or /decision reject "+id, "info"))
	return nil
}
