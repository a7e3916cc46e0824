package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/health"
	"github.com/coctostan/pictx/sqlite/store"
)

func doctorCommand(a *cli.Run) *cobra.Command {
	fix, yes := false, false
	cmd := cli.Command("doctor", "Check the stored history for damage", "5 10 11 12 130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runDoctor(a, ctx, fix, yes)
	})
	cmd.Flags().BoolVar(&fix, "fix", false, "copy the store, then repair what can be repaired")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.JSONFlag(cmd)
	return cmd
}

// doctorResult is what history doctor prints as JSON.
type doctorResult struct {
	Findings []health.Finding `json:"findings"`
	Extracts []string         `json:"extracts"` // ids of summaries that no model wrote
	Fixed    bool             `json:"fixed"`
	Copy     string           `json:"copy"` // a copy of the store before the repair, "" without one
}

func runDoctor(a *cli.Run, ctx context.Context, fix, yes bool) error {
	st, err := openExisting(a, ctx, fix)
	if err != nil {
		return err
	}
	defer st.Close()
	v := doctorResult{}
	if err := v.examine(ctx, st); err != nil {
		return err
	}
	if fix && slices.ContainsFunc(v.Findings, health.Finding.Mendable) {
		if err := mend(a, ctx, st, &v, yes); err != nil {
			return err
		}
	}
	if err := a.Out.Emit(v, v.Text); err != nil {
		return err
	}
	if slices.ContainsFunc(v.Findings, func(f health.Finding) bool { return f.Remedy != "" }) {
		return exit.Silent(exit.Failed)
	}
	return nil
}

// mend repairs the store and examines it again.
func mend(a *cli.Run, ctx context.Context, st *store.Store, v *doctorResult, yes bool) error {
	if err := a.Confirm(ctx, yes, "Repair the history?", "The store is copied first."); err != nil {
		return err
	}
	done, err := st.Health.Repair(ctx, v.Findings)
	if err != nil {
		return err
	}
	if _, err := st.CatchUp(ctx); err != nil {
		return err
	}
	v.Fixed, v.Copy = true, done.Copy
	return v.examine(ctx, st)
}

// examine checks the store and the summaries of each session.
func (v *doctorResult) examine(ctx context.Context, st *store.Store) error {
	found, err := st.Health.Examine(ctx)
	if err != nil {
		return err
	}
	v.Findings, v.Extracts = append([]health.Finding{}, found...), []string{}
	damaged, err := st.Objects.Verify(ctx)
	if err != nil {
		return err
	}
	for _, what := range damaged {
		v.Findings = append(v.Findings, health.Finding{Name: what, Count: 1, Remedy: "pictx history purge --help"})
	}
	sessions, err := st.Summaries.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, id := range sessions {
		c, err := summary.Examine(ctx, st.Summaries, id)
		if err != nil {
			return fmt.Errorf("examine session %s: %w", id, err)
		}
		remedy := "pictx compact " + id
		for _, f := range []health.Finding{
			{Name: "messages between summaries that none of them covers, in session " + id, Count: c.Gaps, Remedy: remedy},
			{Name: "summaries that overlap, in session " + id, Count: c.Overlaps, Remedy: remedy},
			{Name: "summaries made from what was changed since, in session " + id, Count: c.Stale, Remedy: remedy},
		} {
			if f.Count > 0 {
				v.Findings = append(v.Findings, f)
			}
		}
		v.Extracts = append(v.Extracts, c.Extracts...)
	}
	return nil
}

// Text prints the result as text.
func (v doctorResult) Text(w *cli.Out) {
	if v.Fixed {
		w.Printf("mended; the store as it was is %s\n", text.TerminalLine(v.Copy))
	}
	if len(v.Findings) == 0 {
		w.Printf("the history is whole\n")
	}
	for _, f := range v.Findings {
		w.Printf("%s: %s\n", text.Thousands(int64(f.Count)), text.TerminalLine(f.Name))
		if f.Remedy == "" {
			w.Printf("%s\n", w.Style(cli.StyleDim, "  nothing can be done about it; everything else works"))
			continue
		}
		w.Printf("%s\n", w.Style(cli.StyleDim, "  hint: "+text.TerminalLine(f.Remedy)))
	}
	if n := len(v.Extracts); n > 0 {
		w.Printf("%s not written by a model: %s\n", text.Count(n, "summary"), text.TerminalLine(first(v.Extracts)))
		w.Printf("%s\n", w.Style(cli.StyleDim, "  hint: pictx compact has a model write them"))
	}
}

// first joins the first few ids.
func first(ids []string) string {
	const limit = 5
	if len(ids) > limit {
		ids = append(ids[:limit:limit], "...")
	}
	return strings.Join(ids, ", ")
}
