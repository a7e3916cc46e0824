package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

type listOptions struct {
	all    bool
	status string
	limit  int
	exit   bool
}

func (a *app) decisionList() *cobra.Command {
	var o listOptions
	var tags []string
	cmd := &cobra.Command{
		Use:         "list",
		Short:       "List decisions",
		Long:        "Lists the active decisions, the oldest first; --all lists every one that is not\nremoved. With --json an object a line.",
		Example:     "  pictx decision list --all\n  pictx decision list --status draft --json | jq -r .id",
		Annotations: exits("12"),
		Args:        noArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.runDecisionList(o, func(list []*decision.Decision) ([]*decision.Decision, error) {
				return slices.DeleteFunc(list, func(d *decision.Decision) bool {
					return slices.ContainsFunc(tags, func(t string) bool { return !slices.Contains(d.Tags, strings.ToLower(t)) })
				}), nil
			})
		},
	}
	a.listFlags(cmd, &o)
	cmd.Flags().StringArrayVar(&tags, "tag", nil, "those with this `tag`; may be given more than once")
	return cmd
}

func (a *app) listFlags(cmd *cobra.Command, o *listOptions) {
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "whatever their status is")
	f.StringVar(&o.status, "status", "", "those of this `status`: active, draft, rejected or superseded")
	f.IntVar(&o.limit, "limit", 0, "at most this `number`; 0 is all")
	f.BoolVar(&o.exit, "exit-code", false, "end with 1 when there is none")
	a.completeWords(cmd, "status", []string{"active", "draft", "rejected", "superseded"})
	a.jsonFlag(cmd)
}

// runDecisionList lists what choose leaves of the decisions.
func (a *app) runDecisionList(o listOptions, choose func([]*decision.Decision) ([]*decision.Decision, error)) error {
	if o.status != "" && !decision.Status(o.status).Valid() {
		return usageError("pictx decision list --status draft", "there is no status %q: want active, draft, rejected or superseded", o.status)
	}
	if o.limit < 0 {
		return usageError("pictx decision list --limit 20", "--limit %d: want 0 or more", o.limit)
	}
	w, err := a.decisions()
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	list := s.With(decision.Active)
	switch {
	case o.status != "":
		list = s.With(decision.Status(o.status))
	case o.all:
		list = s.Present()
	}
	if list, err = choose(list); err != nil {
		return err
	}
	shown := list
	if o.limit > 0 && len(list) > o.limit {
		shown = list[:o.limit]
	}
	for _, d := range shown {
		if err := w.print(d); err != nil {
			return err
		}
	}
	if len(shown) < len(list) {
		fmt.Fprintf(a.env.Err, "pictx: %d of %d\n", len(shown), len(list))
	}
	if o.exit && len(list) == 0 {
		return silent(exitFailed)
	}
	return nil
}

// print prints a decision in a line.
func (w *decisions) print(d *decision.Decision) error {
	if w.json {
		return w.out.line(d.View())
	}
	line := d.Summary()
	if rest, ok := strings.CutPrefix(line, d.ID); ok {
		line = w.out.style(styleBold, d.ID) + rest
	}
	w.out.printf("%s\n", line)
	return nil
}

func (a *app) decisionSearch() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Search decisions",
		Long: `Finds decisions, of whatever status. Words and "phrases" must all be there, -word (after
--) must not; status:S tag:T id:I author:A path:FILE before:DAY after:DAY narrow it down.
Case and width of letters do not count. A word in the title counts most, then a tag, the
text, the reason; of equals the latest comes first.`,
		Example:     "  pictx decision search database\n  pictx decision search 'status:superseded \"message queue\"' after:2026-01-01",
		Annotations: exits("12"),
		Args:        someArgs(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			q, err := decision.ParseQuery(strings.Join(args, " "))
			if err != nil {
				return err
			}
			o.all = true
			return a.runDecisionList(o, func(list []*decision.Decision) ([]*decision.Decision, error) {
				return decision.Search(list, q), nil
			})
		},
	}
	a.listFlags(cmd, &o)
	cmd.Flags().Lookup("all").Hidden = true
	return cmd
}

func (a *app) decisionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show ID…",
		Short:             "Show a decision",
		Long:              "Shows all that is known of a decision. With --json an object a line.",
		Example:           "  pictx decision show K3F9",
		Annotations:       exits("3 12"),
		Args:              someArgs(1, -1),
		ValidArgsFunction: a.decisionWords,
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.decisions()
			if err != nil {
				return err
			}
			_, s, err := w.load()
			if err != nil {
				return err
			}
			var failed error
			for _, id := range args {
				d, err := s.Find(id)
				if err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				if err := a.out.emit(d.View(), func(o *out) { showDecision(o, s, d) }); err != nil {
					return err
				}
			}
			return failed
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// showDecision prints all of a decision.
func showDecision(o *out, s *decision.State, d *decision.Decision) {
	status := string(d.Status)
	if d.Removed {
		status = "removed"
	}
	o.printf("%s  %s\n\n%s\n\n", o.style(styleBold, d.ID), status, text.Printable(strings.ReplaceAll(d.Text, "\n", " ⏎\n")))
	row := func(name, body string) {
		if body != "" {
			o.printf("%-14s %s\n", name, text.TerminalLine(body))
		}
	}
	row("reason", d.Reason)
	row("tags", strings.Join(d.Tags, ", "))
	row("status since", localDay(d.Since.UnixMilli())+"  "+d.StatusReason)
	row("supersedes", nameOf(s, d.Supersedes))
	row("superseded by", nameOf(s, d.SupersededBy))
	row("conflicts", strings.Join(d.Conflicts, ", ")+"  "+d.Note)
	row("governs", strings.Join(d.Paths, ", "))
	row("review", d.Review)
	row("decided", localDay(d.Created.UnixMilli())+"  "+d.By)
	if latest := s.Latest(d); latest != d {
		row("in force", nameOf(s, latest.ID)+"  "+latest.Title)
	}
}

func localDay(ms int64) string {
	if ms <= 0 {
		return "-"
	}
	return text.LocalMinute(ms)
}

// nameOf names a decision that another refers to.
func nameOf(s *decision.State, id string) string {
	if id == "" {
		return ""
	}
	d, err := s.Find(id)
	if err != nil || d.Removed {
		return id + " (purged)"
	}
	return d.ID
}

func (a *app) decisionContext() *cobra.Command {
	var budget int
	var since string
	var explain bool
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print what the agent is shown",
		Long: `Prints what the agent is shown of the decisions: active ones, those tagged pinned
first, then the latest, as many as decisions.context.max_decisions says and 2,200
characters hold. --since KEY prints what changed after the event with this key, which
pictx decision history shows. Nothing is printed where nothing is active or decisions
are off.`,
		Example:     "  pictx decision context\n  pictx decision context --budget 800 --explain",
		Annotations: exits("3 12"),
		Args:        noArgs,
		RunE:        func(*cobra.Command, []string) error { return a.runDecisionContext(budget, since, explain) },
	}
	f := cmd.Flags()
	f.IntVar(&budget, "budget", 0, "at most this `number` of characters")
	f.StringVar(&since, "since", "", "what changed since the event with this `key`")
	f.BoolVar(&explain, "explain", false, "say on standard error where it would stand, and why")
	a.jsonFlag(cmd)
	return cmd
}

// contextJSON is what context prints as JSON.
type contextJSON struct {
	V       int              `json:"v"`
	Enabled bool             `json:"enabled"`
	Text    string           `json:"text"`
	Shown   []decision.Shown `json:"shown"`
	Left    int              `json:"left"`
	Gone    []string         `json:"gone"`
}

func (a *app) runDecisionContext(budget int, since string, explain bool) error {
	w, err := a.decisions()
	if err != nil {
		return err
	}
	where, err := w.off()
	if err != nil {
		return err
	}
	v := contextJSON{V: 1, Enabled: where == "", Shown: []decision.Shown{}, Gone: []string{}}
	if v.Enabled {
		if err := w.context(&v, budget, since); err != nil {
			return err
		}
	}
	if explain {
		w.explain(where)
	}
	return a.out.emit(v, func(o *out) {
		if v.Text != "" {
			o.printf("%s\n", v.Text)
		}
	})
}

// context fills in what is shown.
func (w *decisions) context(v *contextJSON, budget int, since string) error {
	log, s, err := w.load()
	if err != nil {
		return err
	}
	most := w.set.Config.Decisions.Context.MaxDecisions
	if decision.Clamp(most) != most {
		fmt.Fprintf(w.env.Err, "pictx: warning: decisions.context.max_decisions is %d: %d is used\n", most, decision.Clamp(most))
	}
	p := s.Project(most, budget)
	v.Text, v.Left, v.Shown = p.Text(), p.Left, append(v.Shown, p.Lines...)
	if since == "" {
		return nil
	}
	before, ok := log.Until(since)
	if !ok {
		return withHint(exitNotFound, "pictx decision history", fmt.Errorf("there is no event %s", since))
	}
	known := decision.Known{}
	known.Shows(decision.Replay(before).Project(most, budget))
	d := s.Since(known, p)
	v.Text, v.Shown, v.Gone = "", append([]decision.Shown{}, d.Added...), append(v.Gone, d.Gone...)
	if !d.Empty() {
		v.Text = d.Text()
	}
	return nil
}

// explain says how the decisions reach an agent here.
func (w *decisions) explain(where string) {
	say := func(format string, args ...any) { fmt.Fprintf(w.env.Err, "pictx: "+format+"\n", args...) }
	if where != "" {
		say("nothing is shown: %s says so", where)
		return
	}
	if !trusted(w.pl, w.set.Config.Trust, w.env.Getenv("HOME")) {
		say("pi does not trust this project: its agent is shown nothing")
	}
	if w.set.Config.Decisions.Context.Mode == "system" {
		say("it stands in the system prompt; a change makes the provider read everything anew")
		return
	}
	say("it is a hidden message when a session starts; a change is a message of its own")
}
