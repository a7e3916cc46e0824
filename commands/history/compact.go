package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	f.StringVar(&o.Instructions, "instructions", "", "tell the model in this `text` what to pay attention to")
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
	o.Session = sessionModel(h)
	c := &compaction{app: a, compactOptions: o, session: h}
	c.summaries, c.asker = a.Summarizer(set, o.SummarizerOptions, pl)
	c.summaries.All = true
	if c.keep <= 0 {
		c.keep = int(pl.KeepRecent())
	}
	if err := c.read(token.Count(set.Config.History.LargeContentTokens)); err != nil {
		return err
	}
	if o.dryRun {
		return c.dry(ctx)
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
	compactOptions
	app       *cli.Run
	session   *workspace.Session
	branch    *summary.Branch // the messages that pi would drop
	summaries summary.Options
	asker     summary.Summarizer
}

// read reads the messages that pi would drop. Messages above large, or above the size of a
// leaf, are not read in full.
func (c *compaction) read(large token.Count) (err error) {
	h := c.session
	leaf := h.Tree.Leaf()
	cut := summary.Cut(h.Tree, leaf, token.Count(c.keep))
	c.branch, err = summary.ReadBranch(h.Tree, leaf, cut, summary.LimitsFor(c.summaries, large), h.Line)
	if err != nil {
		return err
	}
	c.branch.Session = h.ID
	if cut == "" || len(c.branch.Units) == 0 {
		return exit.WithHint(exit.NotFound, "pictx compact --keep 1000 "+text.ShellWord(h.ID), fmt.Errorf("compact session %s: pi would drop nothing of it", history.ShortSession(h.ID)))
	}
	return nil
}

// planned returns what a run would do, as a result and in words.
func (c *compaction) planned(ctx context.Context, st summary.Reader) (p summary.Plan, v compactResult, price string, err error) {
	var nodes []summary.Node
	if st != nil {
		if nodes, err = st.Summaries(ctx, c.session.ID); err != nil {
			return p, v, "", err
		}
	}
	opt := c.summaries
	p = c.branch.PlanOf(nodes, opt)
	calls := p.Calls
	if opt.MaxCalls > 0 {
		calls = min(calls, opt.MaxCalls)
	}
	price = fmt.Sprintf("%s: %s, about %s tokens in and at most %s out", text.TerminalLine(strings.Join(opt.Models, ", else ")),
		text.Count(calls, "request"), text.Thousands(int64(p.Input)), text.Thousands(int64(p.Output)))
	v = compactResult{Session: c.session.ID, DryRun: c.dryRun, Messages: p.Messages, Covered: p.Covered, Calls: p.Calls, Models: append([]string{}, opt.Models...)}
	return p, v, price, nil
}

// dry prints what a run would do.
func (c *compaction) dry(ctx context.Context) error {
	p, v, price, err := c.planned(ctx, c.session.Summaries)
	if err != nil {
		return err
	}
	v.Input, v.Output, v.Written, v.Extracted = int(p.Input), int(p.Output), p.Calls, p.Leaves+p.Nodes-p.Calls
	return c.app.Out.Emit(v, func(w *cli.Out) {
		w.Printf("%s, %s of them summarised already\n", text.Count(v.Messages, "message"), text.Thousands(int64(v.Covered)))
		w.Printf("would write %s of messages and %s of summaries", text.Count(p.Leaves, "summary"), text.Thousands(int64(p.Nodes)))
		most := c.summaries.MaxCalls
		switch {
		case p.Calls > 0:
			w.Printf(", and ask %s\n", price)
			if most > 0 && p.Calls > most {
				w.Printf("one run makes at most %d requests; the rest is extracted until the next run\n", most)
			}
		case len(v.Models) == 0 && !slices.Contains(c.Models, config.NoModel) && p.Leaves > 0:
			w.Printf(", without a model\nno model can be asked: have pi on the PATH, or set summarizer.command\n")
		default:
			w.Printf(", without a model\n")
		}
	})
}

// asksAtOnce is the number of concurrent requests for summaries.
const asksAtOnce = 4

// run writes the summaries.
func (c *compaction) run(ctx context.Context) error {
	st, err := c.store(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	plan, v, price, err := c.planned(ctx, st.Summaries)
	if err != nil {
		return err
	}
	if plan.Calls > 0 { // this costs money
		if c.yes {
			fmt.Fprintf(c.app.Env.Err, "pictx: asks %s\n", price)
		}
		if err := c.app.Confirm(ctx, c.yes, "Ask "+price+"?", ""); err != nil {
			return err
		}
	}
	job, err := summary.NewJob(ctx, st.Summaries, c.branch, c.summaries, summary.Progress{})
	if err != nil {
		return err
	}
	pr := c.app.ProgressOf("summarised", int64(plan.Input), func(n int64) string { return text.Thousands(n) + " tokens" })
	done := 0
	err = job.Run(ctx, c.asker, asksAtOnce, time.Tick(summary.LeaseTime/4), func(p summary.Progress) {
		if n := p.Written + p.Extracted; n > done && plan.Calls > 0 {
			pr.Add(int64(plan.Input) * int64(n-done) / int64(plan.Calls))
			done = n
		}
	})
	pr.End()
	err = errors.Join(err, job.Close(context.WithoutCancel(ctx)))
	if p := job.Progress(); err != nil && p.Written+p.Extracted > 0 {
		fmt.Fprintf(c.app.Env.Err, "pictx: %s kept; run the same command again to continue\n", text.Count(p.Written+p.Extracted, "summary"))
	}
	if err != nil {
		return err
	}
	return c.done(job, v)
}

// store opens the store for writing, with the session imported.
func (c *compaction) store(ctx context.Context) (*store.Store, error) {
	st, _, err := c.app.Store(ctx, sqlite.Write)
	if err != nil || c.session.File == "" {
		return st, err
	}
	redactor, err := workspace.RedactorOf(c.app.Workspace, false)
	if err == nil {
		keep := history.RedactedStore(st.Entries, redactor)
		_, err = history.Ingest(ctx, keep, c.app.Sources().Read(c.session.File), history.Options{})
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// done prints the result of a run, which began as v, and writes the copy of the session.
func (c *compaction) done(job *summary.Job, v compactResult) error {
	h, p, cover := c.session, job.Progress(), job.Cover()
	frame, err := c.branch.Frame()
	if err != nil {
		return err
	}
	body, left := summary.Assemble(cover, frame, 0), job.Left()
	v.Written, v.Extracted, v.Calls, v.Roots, v.Depth = p.Written, p.Extracted, p.Calls, len(cover.Roots), cover.Depth()
	if !c.summaries.Leaves { // with Leaves, this run may have nothing to do with what is left
		v.Extracted = max(p.Extracted, left)
	}
	v.Tokens, v.Bound, v.File = int(token.OfText(body)), job.Bound(), c.output
	if c.output != "" {
		if err := c.copy(cover, body); err != nil {
			return err
		}
	}
	if c.output != "-" { // else the copy is the output
		err := c.app.Out.Emit(v, func(w *cli.Out) {
			w.Printf("%s of session %s: %s written, %s extracted", text.Count(v.Messages, "message"), history.ShortSession(h.ID), text.Count(v.Written, "summary"), text.Thousands(int64(v.Extracted)))
			if v.Covered > 0 {
				w.Printf(", %s messages were summarised before", text.Thousands(int64(v.Covered)))
			}
			w.Printf("\n%s at the top, depth %d: %s tokens stand for all of it\n", text.Count(v.Roots, "summary"), v.Depth, text.Thousands(int64(v.Tokens)))
		})
		if err != nil {
			return err
		}
	}
	return c.left(left, v.Bound, p.Last)
}

// left reports summaries that a model should have written and did not.
func (c *compaction) left(n int, bound, last string) error {
	if n == 0 || bound == "" && last == "" {
		return nil
	}
	why := "no response was usable: " + last
	if bound != "" {
		why = "models were no longer asked: " + bound
	}
	fmt.Fprintf(c.app.Env.Err, "pictx: %s not written; %s\n", text.Count(n, "summary"), text.TerminalLine(why))
	fmt.Fprintf(c.app.Env.Err, "hint: pictx compact %s\n", text.ShellWord(c.session.ID))
	return exit.Silent(exit.Partly)
}

// copy writes the session with the compaction appended.
func (c *compaction) copy(cover *summary.Cover, body string) error {
	line, err := workspace.CompactionEntry(c.session, c.branch, cover, body, c.app.Env.Now())
	if err != nil {
		return err
	}
	data, err := c.session.Bytes()
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return c.app.Deliver(c.output, append(append(data, line...), '\n'))
}
