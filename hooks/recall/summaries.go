package recall

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/hooks"
)

// Summaries takes over the agent's compactions. It covers the messages that the agent is
// about to drop with summaries that can be expanded, and assembles from them the text that
// replaces the messages. The agent calls the models; each response is stored when it
// arrives.
type Summaries struct {
	// Now is the clock.
	Now func() time.Time
	// Export writes sessions to files.
	Export ExportFunc
}

// ExportFunc writes the session of a call to a file and returns the file's path. The file
// extension chooses the format.
type ExportFunc func(ctx context.Context, c *hooks.Call, ses hooks.Session, st summary.Reader, file string) (string, error)

// summaryTools declares the tools of Summaries.
//
//go:embed summary_tools.json
var summaryTools []byte

const (
	// statusLCM is the footer key of compactions.
	statusLCM = "pictx.lcm"
	// mostSummaries is how many tokens all summaries together may take after a compaction.
	mostSummaries = 8000
	// compactTime is the time limit of a round of a compaction, in milliseconds.
	compactTime = 60_000
	// minMessages is the number of messages below which the agent compacts by itself,
	// since its own summary is no longer then.
	minMessages = 10
	// asksAtATime is the maximum number of concurrent requests to models.
	asksAtATime = 4
)

// Name implements System.
func (Summaries) Name() string { return "summaries" }

// Declare implements System.
func (Summaries) Declare(c *config.Config, h *hooks.Hello) {
	if !c.History.Enabled {
		return
	}
	h.Want(hooks.EventSessionStart, hooks.EventAgentEnd)
	h.Commands = append(h.Commands, hooks.CommandSpec{Name: commandLCM, Description: "History of this session: search, stats, tree, export, compact", Complete: true})
	h.Timeouts.Command[commandLCM] = compactTime
	if !c.History.Compact {
		return
	}
	h.Want(hooks.EventBeforeCompact, hooks.EventCompact)
	h.Timeouts.Events[hooks.EventBeforeCompact] = compactTime
	h.Offer(summaryTools, hooks.ToolTime)
}

// Useful implements hooks.Declarer.
func (Summaries) Useful(ctx context.Context, c *hooks.Call, tool string) (bool, error) {
	return History{}.Useful(ctx, c, tool)
}

// Handle implements System.
func (s Summaries) Handle(ctx context.Context, c *hooks.Call) error {
	set := c.Project.Config().Config.History
	if !set.Enabled {
		return nil
	}
	switch {
	case c.Is(hooks.EventBeforeCompact) && set.Compact:
		return s.compact(ctx, c)
	case c.Is(hooks.EventSessionStart, hooks.EventAgentEnd, hooks.EventCompact):
		c.Add(hooks.Status(statusLCM, ""))
	case c.Is(hooks.EventTool):
		return s.describe(ctx, c)
	case c.Is(hooks.EventCommand):
		return s.command(ctx, c)
	case c.Is(hooks.EventComplete):
		return completeLCM(c)
	}
	return nil
}

// compactionState is kept between the rounds of a compaction.
type compactionState struct {
	summary.Progress
	Usage usage `json:"usage,omitempty"`
}

// spend adds the usage of requests, as the agent reports it.
func (s *compactionState) spend(reported ...jsontext.Value) {
	for _, one := range reported {
		var u usage
		if len(one) > 0 && hooks.Decode(one, &u) == nil {
			s.Usage = s.Usage.plus(u)
		}
	}
}

// usage is the token usage of requests to models and its cost, in the agent's form: numbers by
// name, and such objects.
type usage map[string]any

func (u usage) plus(more usage) usage {
	sum := make(usage)
	maps.Copy(sum, u)
	for name, v := range more {
		switch v := v.(type) {
		case float64:
			n, _ := u[name].(float64)
			sum[name] = n + v
		case map[string]any:
			below, _ := u[name].(map[string]any)
			sum[name] = map[string]any(usage(below).plus(v))
		}
	}
	return sum
}

// compactionDetails are stored in the agent's session with a compaction.
type compactionDetails struct {
	summary.Files
	Pictx compactionIDs `json:"pictx"`
}

// compactionIDs lists the summaries of a compaction and the usage of its requests, which
// older versions of pi do not record.
type compactionIDs struct {
	Summaries []string `json:"summaries"`
	Requests  int      `json:"requests"`
	Usage     usage    `json:"usage,omitempty"`
	// Began is the time of the first request in Unix milliseconds. Requests in the store
	// since then belong to this compaction.
	Began int64 `json:"began"`
	// Fold is set when plain pi would not have compacted: the beginning was folded.
	Fold bool `json:"fold,omitempty"`
}

// compact handles a round of a compaction: it stores responses and requests the summaries
// that are still missing. When none is missing it assembles the text. It waits while another
// process is writing, because models were paid.
func (s Summaries) compact(ctx context.Context, c *hooks.Call) error {
	var p hooks.BeforeCompact
	if err := c.Read(&p); err != nil {
		return err
	}
	var kept compactionState
	c.Kept(&kept)
	var job *summary.Job
	err := patiently(ctx, c.Project.Busy, func() (err error) {
		job, err = s.job(ctx, c, &p, s.options(c, &p), kept.Progress)
		return err
	})
	if err != nil {
		return err
	}
	if p.FirstKeptEntryID == "" || len(job.Branch().Units) < minMessages {
		c.Note("left to the agent: there are few messages")
		return job.Close(ctx)
	}
	for _, a := range c.Replies {
		id, ours := strings.CutPrefix(a.ID, Summaries{}.Name()+".")
		if !ours {
			continue
		}
		kept.spend(a.Spent...)
		var done hooks.Completed
		switch err := hooks.Decode(a.Value, &done); {
		case a.Error != "" || a.Cancelled:
			job.Fail(id, a.Error)
			continue
		case err != nil:
			job.Fail(id, err.Error())
			continue
		}
		kept.spend(done.Usage)
		reply := summary.Reply{Text: done.Text, Model: done.Model, Stop: done.StopReason}
		if err := patiently(ctx, c.Project.Busy, func() error { return job.Answer(ctx, id, reply) }); err != nil {
			return err
		}
	}
	var asks []summary.Request
	err = patiently(ctx, c.Project.Busy, func() (err error) {
		asks, err = job.Next(ctx, asksAtATime)
		return err
	})
	switch {
	case err != nil:
		return err
	case len(asks) > 0:
		return s.ask(c, job, kept, asks)
	}
	return errors.Join(s.finish(ctx, c, &p, job, kept), job.Close(ctx))
}

// job begins or continues the run that summarizes what a compaction drops.
func (s Summaries) job(ctx context.Context, c *hooks.Call, p *hooks.BeforeCompact, opt summary.Options, from summary.Progress) (*summary.Job, error) {
	opt.Take = true
	b, err := s.branch(ctx, c, p.FirstKeptEntryID, opt)
	if err != nil {
		return nil, err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil, err
	}
	return summary.NewJob(ctx, st.Jobs, b, opt, from)
}

// Fold returns the compaction that replaces all before an entry by an extract of at most so many
// tokens, nil for none. No model is asked.
func (s Summaries) Fold(ctx context.Context, c *hooks.Call, first string, most token.Count) (*hooks.Compaction, error) {
	p := &hooks.BeforeCompact{FirstKeptEntryID: first}
	opt := s.options(c, p)
	opt.Models = nil
	job, err := s.job(ctx, c, p, opt, summary.Progress{})
	if err != nil {
		return nil, err
	}
	var out *hooks.Compaction
	if _, err = job.Next(ctx, asksAtATime); err == nil {
		var ids *compactionIDs
		out, ids, err = assembled(ctx, c, p, job, most)
		ids.Fold = true
	}
	return out, errors.Join(err, job.Close(ctx))
}

// ask asks the agent to call models.
func (s Summaries) ask(c *hooks.Call, job *summary.Job, kept compactionState, asks []summary.Request) error {
	kept.Progress = job.Progress()
	if err := c.Keep(kept); err != nil {
		return err
	}
	for _, r := range asks {
		c.Ask(hooks.Ask{ID: r.ID, Kind: hooks.AskComplete, Models: r.Models, System: r.System, Prompt: r.Prompt, MaxTokens: r.MaxTokens})
	}
	c.Note(fmt.Sprintf("asks for %s, %d written", countSummaries(len(asks)), kept.Written))
	status := "compacting"
	if kept.Written > 0 {
		status += ": " + countSummaries(kept.Written)
	}
	c.Add(hooks.Status(statusLCM, status))
	return nil
}

// finish assembles the text that replaces the compacted messages.
func (s Summaries) finish(ctx context.Context, c *hooks.Call, p *hooks.BeforeCompact, job *summary.Job, kept compactionState) error {
	kept.Progress = job.Progress()
	out, ids, err := assembled(ctx, c, p, job, mostSummaries)
	if err != nil || out == nil {
		return err
	}
	ids.Requests, ids.Usage, ids.Began = kept.Calls, kept.Usage, kept.Began
	if kept.Usage != nil {
		out.Usage, _ = json.Marshal(kept.Usage)
	}
	c.Result().Compaction = out
	c.Note(fmt.Sprintf("compacted %s into %s: %d written, %d extracted",
		text.CountPlain(len(job.Branch().Units), "message"), countSummaries(len(job.Cover().Roots)), kept.Written, kept.Extracted))
	if left := job.Left(); left > 0 {
		why := cmp.Or(job.Bound(), kept.Last)
		c.Add(hooks.Notify(fmt.Sprintf("%s extracted without a model (%s): they are lines of the session. To have a model write them, in a shell: pictx compact", countSummaries(left), text.LogLine(why)), "warning"))
	}
	return nil
}

// assembled returns the compaction by the summaries of a job, of at most so many tokens, nil when
// there is no text, and its record in the session, to be completed. It carries over what the user
// pinned.
func assembled(ctx context.Context, c *hooks.Call, p *hooks.BeforeCompact, job *summary.Job, most token.Count) (*hooks.Compaction, *compactionIDs, error) {
	b, cover, d := job.Branch(), job.Cover(), &compactionDetails{}
	frame, err := b.Frame()
	if err != nil {
		return nil, &d.Pictx, err
	}
	frame.Add(p.FileOps.Read, append(p.FileOps.Written, p.FileOps.Edited...))
	body := summary.Assemble(cover, frame, most)
	if body == "" {
		return nil, &d.Pictx, nil
	}
	pins, err := hooks.PinnedResults(ctx, c)
	if err != nil {
		return nil, &d.Pictx, err
	}
	pinned, left, err := b.Pinned(pins)
	if err != nil {
		return nil, &d.Pictx, err
	}
	if len(left) > 0 {
		c.Add(hooks.Notify(text.CountPlain(len(left), "pinned output")+" left the context with the compaction, for lack of room: pictx expand "+text.LogLine(strings.Join(left, ", ")), "warning"))
	}
	for _, r := range cover.Roots {
		d.Pictx.Summaries = append(d.Pictx.Summaries, r.Key)
	}
	d.Files = frame.Files
	return &hooks.Compaction{
		Summary: body + pinned, FirstKeptID: p.FirstKeptEntryID, TokensBefore: p.TokensBefore, Details: d,
	}, &d.Pictx, nil
}

// options returns the options of a compaction, from the settings and the event.
func (s Summaries) options(c *hooks.Call, p *hooks.BeforeCompact) summary.Options {
	o := OptionsOf(c.Project.Config().Config.History)
	o.Now, o.Instructions, o.Split = s.Now, p.CustomInstructions, p.IsSplitTurn
	if c.Model != nil {
		window := token.Count(c.Model.ContextWindow)
		o.Span = summary.SpanFor(window)
		if o.LeafTokens == 0 {
			o.LeafTokens = summary.LeafFor(window)
		}
	}
	if !c.CanDo(hooks.CanComplete) || len(o.Models) > 0 && o.Models[0] == config.NoModel {
		o.Models = nil
	} else {
		o.Models = append(o.Models, "session")
	}
	return o
}

// OptionsOf returns the options that the settings give. Its models are those that the
// settings name.
func OptionsOf(h config.History) summary.Options {
	return summary.Options{
		Leaves:     h.ModelWrites == config.WriteLeaves,
		LeafTokens: token.Count(h.LeafChunkTokens), Threshold: h.CondensationThreshold, MaxDepth: h.MaxDepth,
		Models: append([]string(nil), h.Models...),
	}
}

// branch reads the session's branch up to the entry cut, or all of it when cut is "".
func (Summaries) branch(ctx context.Context, c *hooks.Call, cut string, opt summary.Options) (*summary.Branch, error) {
	ses, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	t := ses.Entries()
	at := c.Session.LeafID
	if t.Lookup(at) == nil {
		at = t.Leaf()
	}
	limits := summary.LimitsFor(opt, token.Count(c.Project.Config().Config.History.LargeContentTokens))
	b, err := summary.ReadBranch(t, at, cut, limits, func(n *message.Node) ([]byte, error) { return ses.Line(n) })
	if err != nil {
		return nil, err
	}
	b.Session = c.Session.ID
	return b, nil
}

// patiently retries try after errors that are transient, until ctx is done.
func patiently(ctx context.Context, transient func(error) bool, try func() error) error {
	for {
		err := try()
		if err == nil || !transient(err) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// countSummaries returns "1 summary", "2 summaries".
func countSummaries(n int) string { return text.CountPlain(n, "summary") }
