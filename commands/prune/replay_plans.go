package prune

import (
	"context"
	"encoding/json"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
)

// planLine is what a policy pruned: one line of replay --plans.
type planLine struct {
	Session string `json:"session"`
	Policy  string `json:"policy"`
	// Request is the first request without it, counted from 1.
	Request int    `json:"request"`
	Entry   string `json:"entry"`
	Source  string `json:"source"`
	Reason  string `json:"reason"`
	// Marker is what stands in its place; of an answer it is the content that is left.
	Marker string `json:"marker"`
	Tokens int    `json:"tokens"`
}

// sessionPlans are the lines of a session.
type sessionPlans struct {
	replayLosses
	lines []planLine
}

// runPlans prints what each policy pruned under the shown prices, in the order in which
// it did.
func runPlans(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	var lost replayLosses
	out := json.NewEncoder(a.Out)
	out.SetEscapeHTML(false)
	for _, s := range forEachFile(ctx, w, files, func(file string) *sessionPlans { return w.plans(ctx, file) }) {
		if s == nil { // interrupted
			continue
		}
		lost.add(s.replayLosses)
		for _, line := range s.lines {
			if err := out.Encode(line); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return lost.verdict(a.Env.Err, len(files))
}

// plans returns what each policy pruned in one session.
func (w *replayWork) plans(ctx context.Context, file string) *sessionPlans {
	s, rec, lost := w.open(file)
	d := &sessionPlans{replayLosses: lost}
	if s == nil {
		return d
	}
	defer s.Close()
	w.assume(rec)
	for _, p := range w.policies {
		runs, err := rec.Run(ctx, p, w.prices[w.shown:w.shown+1], replay.Options{Pruned: true})
		if err != nil {
			return nil
		}
		for _, e := range runs[0].Pruned {
			d.lines = append(d.lines, planLine{rec.Session, p.Name, e.Call, e.EntryID, e.Source, e.Reason, e.Marker, int(e.Tokens)})
		}
	}
	return d
}
