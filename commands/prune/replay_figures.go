package prune

import (
	"context"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
)

// figuresOf is one session under all assumptions, nil when it could not be read.
type figuresOf struct {
	replayLosses
	sample *replay.Sample
}

// runFigures prints what auto and cold cost.
func runFigures(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	var lost replayLosses
	var all []*replay.Sample
	for _, s := range forEachFile(ctx, w, files, func(file string) *figuresOf { return w.figures(ctx, file) }) {
		if s == nil { // interrupted
			continue
		}
		lost.add(s.replayLosses)
		if s.sample != nil {
			all = append(all, s.sample)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.Out.Printf("%s; ratios to plain pi, whole bill\n\n", text.Count(len(all), "session"))
	for _, t := range report.Figures(all, w.policies, w.prices) {
		if t.Title != "" {
			heading(a.Out, t.Title)
		}
		cli.Table(a.Out, t.Rows, t.Right...)
		a.Out.Printf("\n")
	}
	a.Out.Printf("%s\n", footnote)
	return lost.verdict(a.Env.Err, len(files))
}

// figures runs one session under all assumptions.
func (w *replayWork) figures(ctx context.Context, file string) *figuresOf {
	s, rec, lost := w.open(file)
	if s == nil {
		return &figuresOf{replayLosses: lost}
	}
	defer s.Close()
	w.assume(rec)
	sample, err := rec.Sample(ctx, w.policies, w.prices)
	if err != nil {
		return nil
	}
	return &figuresOf{lost, sample}
}
