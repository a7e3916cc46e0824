package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

type compactOptions struct {
	workspace.SummarizerOptions
	dryRun bool
	yes    bool
	output string
	keep   int
	// extract asks no model.
	extract bool
}

// CompactCommand returns the command pictx compact.
func CompactCommand(a *cli.Run) *cobra.Command {
	var o compactOptions
	cmd := cli.Command("compact [SESSION]", "Write the summaries for the next compaction", "3 4 5 10 11 12 130", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		if o.extract {
			o.Models = append(o.Models, config.NoModel)
		}
		return runCompact(a, ctx, o, append(args, "")[0])
	})
	cmd.ValidArgsFunction = a.SessionWords
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what it would take")
	f.BoolVar(&o.yes, "yes", false, "do not ask before sending anything to a model")
	cli.NewFileFlag(f, &o.output, "output", "write a copy of the session with the compaction into this `file`")
	f.StringArrayVar(&o.Models, "model", nil, "ask this model, as `provider/id`; repeatable; none extracts the summaries (default history.models)")
	f.StringVar(&o.Wishes, "instructions", "", "tell the model in this `text` what to pay attention to")
	f.IntVar(&o.keep, "keep", 0, "keep this many `tokens` of the latest messages (default: as pi does)")
	// The setting summarizer.command does the same as --command.
	f.StringArrayVar(&o.Command, "command", nil, "program that writes a summary: the flag once for each `word` of its command line (default summarizer.command)")
	f.IntVar(&o.MaxCalls, "max-calls", 0, "make at most this many requests (default 60)")
	f.BoolVar(&o.extract, "extract", false, "the same as --model none")
	cli.Hide(f, "command", "max-calls", "keep", "extract")
	return a.JSONFlag(cmd)
}

// compactResult is the JSON output of compact.
type compactResult struct {
	Session   string   `json:"session"`
	DryRun    bool     `json:"dry_run"`
	Messages  int      `json:"messages"` // messages to cover
	Covered   int      `json:"covered"`  // of these, covered before the run
	Written   int      `json:"written"`
	Extracted int      `json:"extracted"`
	Calls     int      `json:"calls"`
	Models    []string `json:"models"`        // in the order in which they are asked
	Input     int      `json:"input_tokens"`  // estimate of a dry run
	Output    int      `json:"output_tokens"` // rough estimate of a dry run
	Roots     int      `json:"roots"`
	Depth     int      `json:"depth"`
	Tokens    int      `json:"tokens"` // size of the summaries that replace the messages
	Bound     string   `json:"bound"`  // why models were no longer asked
	File      string   `json:"file"`
}

func runCompact(a *cli.Run, ctx context.Context, o compactOptions, session string) error {
	set, pl, err := a.Resolved()
	if err != nil {
		return err
	}
	if !set.Config.History.Enabled {
		return exit.WithHint(exit.Refused, "pictx config set history.enabled true", errors.New("compact session: history is switched off"))
	}
	if slices.Contains(o.Models, config.NoModel) && len(o.Models)+len(o.Command) > 1 {
		return exit.UsageError("pictx compact --model none", "--model none asks no model: it excludes others and --command")
	}
	h, err := a.OpenSession(ctx, session)
	if err != nil {
		return err
	}
	defer h.Close()
	c := &compaction{app: a, options: o, session: h}
	o.Session = sessionModel(h)
	c.summaries, c.asker = a.Summarizer(set, o.SummarizerOptions, pl)
	c.summaries.All = true
	keep := token.Count(pl.KeepRecent())
	if o.keep > 0 {
		keep = token.Count(o.keep)
	}
	if err := c.read(keep, token.Count(set.Config.History.LargeContentTokens)); err != nil {
		return err
	}
	if o.dryRun {
		return c.plan(ctx)
	}
	return c.run(ctx)
}

// sessionModel returns the model that the session used last, "" for none.
func sessionModel(h *workspace.Session) string {
	path := h.Tree.Path(h.Tree.Leaf())
	for _, n := range slices.Backward(path) {
		if m := &n.Message; m.Role == message.RoleAssistant && m.Provider != "" && m.Model != "" {
			return m.Provider + "/" + m.Model
		}
	}
	return ""
}

// compaction is one run of the command.
type compaction struct {
	app       *cli.Run
	options   compactOptions
	session   *workspace.Session
	branch    *summary.Branch // the messages that pi would drop
	summaries summary.Options
	asker     summary.Summarizer
}

// read reads the messages that pi would drop when it keeps the given number of latest
// tokens. Messages above large, or above the size of a leaf, are not read in full.
func (c *compaction) read(keep, large token.Count) error {
	h := c.session
	leaf := h.Tree.Leaf()
	cut := summary.Cut(h.Tree, leaf, keep)
	b, err := summary.ReadBranch(h.Tree, leaf, cut, summary.LimitsFor(c.summaries, large), h.Line)
	if err != nil {
		return err
	}
	b.Session = h.ID
	if cut == "" || len(b.Units) == 0 {
		return exit.WithHint(exit.NotFound, "pictx compact --keep 1000 "+text.ShellWord(h.ID), fmt.Errorf("compact session %s: pi would drop nothing of it", history.ShortSession(h.ID)))
	}
	c.branch = b
	return nil
}

// plan prints what a run would do.
func (c *compaction) plan(ctx context.Context) error {
	h, opt := c.session, c.summaries
	var nodes []summary.Node
	if h.St != nil {
		var err error
		if nodes, err = h.St.Summaries.Summaries(ctx, h.ID); err != nil {
			return err
		}
	}
	p := c.branch.PlanOf(nodes, opt, len(opt.Models) > 0)
	v := compactResult{
		Session: h.ID, DryRun: true, Messages: p.Messages, Covered: p.Covered, Calls: p.Calls, Models: append([]string{}, opt.Models...), Input: int(p.Input), Output: int(p.Output),
		Written: p.Calls, Extracted: len(p.Leaves) + p.Nodes - p.Calls,
	}
	return c.app.Out.Emit(v, func(w *cli.Out) {
		w.Printf("%s, %s of them summarised already\n", text.Count(v.Messages, "message"), text.Thousands(int64(v.Covered)))
		w.Printf("would write %s of messages and %s of summaries", text.Count(len(p.Leaves), "summary"), text.Thousands(int64(p.Nodes)))
		if p.Calls == 0 {
			w.Printf(", without a model\n")
			if len(opt.Models) == 0 && !slices.Contains(c.options.Models, config.NoModel) && len(p.Leaves) > 0 {
				w.Printf("no model can be asked: have pi on the PATH, or set summarizer.command\n")
			}
			return
		}
		w.Printf(", and ask %s\n", price(opt, p))
		if v.Calls > opt.MaxCalls && opt.MaxCalls > 0 {
			w.Printf("one run makes at most %d requests; the rest is extracted until the next run\n", opt.MaxCalls)
		}
	})
}

// price says which model a run asks, and for what.
func price(o summary.Options, p summary.Plan) string {
	calls := p.Calls
	if o.MaxCalls > 0 {
		calls = min(calls, o.MaxCalls)
	}
	return fmt.Sprintf("%s: %s, about %s tokens in and at most %s out", text.TerminalLine(strings.Join(o.Models, ", else ")),
		text.Count(calls, "request"), text.Thousands(int64(p.Input)), text.Thousands(int64(p.Output)))
}

// run writes the summaries.
func (c *compaction) run(ctx context.Context) error {
	b, opt := c.branch, c.summaries
	st, err := c.store(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	nodes, err := st.Summaries.Summaries(ctx, c.session.ID)
	if err != nil {
		return err
	}
	plan := b.PlanOf(nodes, opt, len(opt.Models) > 0)
	if plan.Calls > 0 { // this costs money
		said := price(opt, plan)
		if c.options.yes {
			fmt.Fprintf(c.app.Env.Err, "pictx: asks %s\n", said)
		}
		if err := c.app.Confirm(ctx, c.options.yes, "Ask "+said+"?", ""); err != nil {
			return err
		}
	}
	job, err := summary.NewJob(ctx, st.Summaries, b, opt, summary.Progress{})
	if err != nil {
		return err
	}
	pr := c.app.ProgressOf("summarised", int64(plan.Input), func(n int64) string { return text.Thousands(n) + " tokens" })
	done := 0
	held, stop := workspace.HoldLease(ctx, job)
	err = job.Run(held, c.asker, asksAtOnce, func(p summary.Progress) {
		if n := p.Written + p.Extracted; n > done && plan.Calls > 0 {
			pr.Add(int64(plan.Input) * int64(n-done) / int64(plan.Calls))
			done = n
		}
	})
	pr.End()
	if lost := stop(); lost != nil {
		err = lost
	}
	err = errors.Join(err, job.Close(context.WithoutCancel(ctx)))
	if p := job.Progress(); err != nil && p.Written+p.Extracted > 0 {
		fmt.Fprintf(c.app.Env.Err, "pictx: %s kept; run the same command again to continue\n", text.Count(p.Written+p.Extracted, "summary"))
	}
	if err != nil {
		return err
	}
	return c.done(job, plan)
}

// asksAtOnce is the number of concurrent requests for summaries.
const asksAtOnce = 4

// store opens the store for writing, with the session imported.
func (c *compaction) store(ctx context.Context) (*store.Store, error) {
	st, _, err := c.app.Store(ctx, sqlite.Write)
	if err != nil || c.session.File == "" {
		return st, err
	}
	redactor, err := workspace.RedactorOf(c.app.Workspace, false)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	keep := history.RedactedStore(st.Entries, redactor)
	if _, err := history.Ingest(ctx, keep, c.app.Sources().Read(c.session.File), history.Options{}); err != nil {
		_ = st.Close()
		return nil, err
	}
	return st, nil
}

// done prints the compactResult and writes the copy of the session.
func (c *compaction) done(job *summary.Job, plan summary.Plan) error {
	h, p, cover := c.session, job.Progress(), job.Cover()
	frame, err := c.branch.Frame()
	if err != nil {
		return err
	}
	body := summary.Assemble(cover, frame, 0)
	extracted := p.Extracted
	if !c.summaries.Leaves { // with Leaves, extracts are intended
		extracted = max(extracted, job.Left())
	}
	v := compactResult{
		Session: h.ID, Messages: len(c.branch.Units), Covered: plan.Covered, Written: p.Written, Extracted: extracted, Calls: p.Calls, Models: append([]string{}, c.summaries.Models...),
		Roots: len(cover.Roots), Depth: cover.Depth(), Tokens: int(token.OfText(body)), Bound: job.Bound(), File: c.options.output,
	}
	if c.options.output != "" {
		line, err := workspace.CompactionEntry(h, c.branch, cover, body, c.app.Env.Now())
		if err != nil {
			return err
		}
		copied, err := compactedCopy(h, line)
		if err == nil {
			err = c.app.Deliver(c.options.output, copied)
		}
		if err != nil {
			return err
		}
		if c.options.output == "-" { // the copy is the output
			return compactLeft(c.app, h, job.Left(), v.Bound, p.Last)
		}
	}
	err = c.app.Out.Emit(v, func(w *cli.Out) {
		w.Printf("%s of session %s: %s written, %s extracted", text.Count(v.Messages, "message"), history.ShortSession(h.ID), text.Count(v.Written, "summary"), text.Thousands(int64(v.Extracted)))
		if v.Covered > 0 {
			w.Printf(", %s messages were summarised before", text.Thousands(int64(v.Covered)))
		}
		w.Printf("\n%s at the top, depth %d: %s tokens stand for all of it\n", text.Count(v.Roots, "summary"), v.Depth, text.Thousands(int64(v.Tokens)))
	})
	if err != nil {
		return err
	}
	return compactLeft(c.app, h, job.Left(), v.Bound, p.Last)
}

// compactLeft reports summaries that a model should have written and did not.
func compactLeft(a *cli.Run, h *workspace.Session, left int, bound, last string) error {
	if left == 0 || bound == "" && last == "" {
		return nil
	}
	why := "no response was usable: " + last
	if bound != "" {
		why = "models were no longer asked: " + bound
	}
	fmt.Fprintf(a.Env.Err, "pictx: %s not written; %s\n", text.Count(left, "summary"), text.TerminalLine(why))
	fmt.Fprintf(a.Env.Err, "hint: pictx compact %s\n", text.ShellWord(h.ID))
	return exit.Silent(exit.Partly)
}

// compactedCopy returns the session file with a compaction appended.
func compactedCopy(h *workspace.Session, line []byte) ([]byte, error) {
	data, err := h.Bytes()
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return append(append(data, line...), '\n'), nil
}
