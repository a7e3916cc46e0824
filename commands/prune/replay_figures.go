package prune

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// figureCase is one assumption under which the figures are worked out.
type figureCase struct {
	name   string
	floor  token.Count // 0 is what replay assumes otherwise
	reread bool
}

// figureCases are the assumptions, the usual one first.
func figureCases() []figureCase {
	return []figureCase{
		{name: "as replay bills it"},
		{name: "system prompt and tools 3,000 tokens", floor: 3000},
		{name: "system prompt and tools 15,000 tokens", floor: 15_000},
		{name: "every miss read again in full", reread: true},
	}
}

// figurePrefixes are after how many requests sessions are cut off.
func figurePrefixes() []int { return []int{3, 5, 10, 15, 20, 30} }

// figuresOf is one session under all assumptions.
type figuresOf struct {
	replayLosses
	session string
	calls   int
	idles   bool
	runs    [][][]replay.Run // by case, policy and prices
}

// runFigures prints what auto and cold cost.
func runFigures(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	pl, err := a.Place()
	if err != nil {
		return err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return err
	}
	auto := workspace.AutoSettings(set.Config)
	w.policies = []replay.Policy{replay.None(), replay.Auto(auto), replay.Cold(auto)}
	var lost replayLosses
	var all []*figuresOf
	for _, s := range forEachFile(ctx, w, files, func(file string) *figuresOf { return w.figures(ctx, file) }) {
		if s == nil { // interrupted
			continue
		}
		lost.add(s.replayLosses)
		if s.runs != nil {
			all = append(all, s)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	figureText{a.Out, w, all}.print()
	return lost.verdict(a.Env.Err, len(files))
}

// figures runs one session under all assumptions.
func (w *replayWork) figures(ctx context.Context, file string) *figuresOf {
	d := &figuresOf{}
	for _, c := range figureCases() {
		s, rec, lost := w.open(file)
		if s == nil {
			d.replayLosses = lost
			return d
		}
		w.assume(rec)
		if c.floor > 0 {
			rec.AssumeFloor(c.floor)
		}
		d.replayLosses, d.session, d.calls, d.idles = lost, rec.Session, rec.Calls(), rec.Idles()
		var byPolicy [][]replay.Run
		for _, p := range w.policies {
			runs, err := rec.Run(ctx, p, w.prices, replay.Options{Prefixes: figurePrefixes(), Reread: c.reread})
			if err != nil {
				s.Close()
				return nil
			}
			byPolicy = append(byPolicy, runs)
		}
		d.runs = append(d.runs, byPolicy)
		s.Close()
	}
	return d
}

// figureText prints figures for a person.
type figureText struct {
	*cli.Out
	w   *replayWork
	all []*figuresOf
}

// sum adds up the sessions that which says yes to, under one assumption.
func (t figureText) sum(at, policy, prices int, which func(*figuresOf) bool) *replay.Sum {
	s := &replay.Sum{}
	for _, f := range t.all {
		if which(f) {
			s.Add(&f.runs[at][policy][prices], &f.runs[at][0][prices])
		}
	}
	return s
}

func everyone(*figuresOf) bool { return true }

func (t figureText) print() {
	t.Printf("%s; ratios to plain pi, whole bill\n\n", text.Count(len(t.all), "session"))
	t.totals()
	t.prefixes()
	t.sensitivity()
	t.Printf("%s\n", footnote)
}

// perPrices prints a table with a row for each policy and price profile.
func (t figureText) perPrices(head []string, row func(policy, prices int) []string) {
	rows := [][]string{append([]string{"policy", "prices"}, head...)}
	for policy := 1; policy < len(t.w.policies); policy++ {
		for i, prices := range t.w.prices {
			rows = append(rows, append([]string{t.w.policies[policy].Name, text.TerminalLine(prices.Name)}, row(policy, i)...))
		}
	}
	right := make([]int, len(head))
	for i := range right {
		right[i] = i + 2
	}
	cli.Table(t, rows, right...)
	t.Printf("\n")
}

func three(v float64) string { return fmt.Sprintf("%.3f", v) }

// totals prints what all sessions cost, and each half.
func (t figureText) totals() {
	head := []string{"whole", "first half", "second half", "alone", "median", "worse", "worse alone", "worst", "edits lost"}
	t.perPrices(head, func(policy, i int) []string {
		all := t.sum(0, policy, i, everyone)
		first := t.sum(0, policy, i, func(f *figuresOf) bool { return !replay.SecondHalf(f.session) })
		second := t.sum(0, policy, i, func(f *figuresOf) bool { return replay.SecondHalf(f.session) })
		return []string{
			three(all.Ratio()), three(first.Ratio()), three(second.Ratio()), three(all.Alone()), three(all.Median()),
			text.Thousands(all.Worse), text.Thousands(all.WorseAlone), three(all.Worst),
			fmt.Sprintf("%d of %d", all.EditsMissing, all.Edits),
		}
	})
}

// prefixes prints what the starts of sessions cost.
func (t figureText) prefixes() {
	heading(t.Out, fmt.Sprintf("Sessions that end after %v requests", figurePrefixes()))
	t.perPrices([]string{"starts", "over 1 % more", "worst"}, func(policy, i int) []string {
		s := &replay.Sum{}
		for _, f := range t.all {
			s.AddPrefixes(&f.runs[0][policy][i], &f.runs[0][0][i])
		}
		return []string{text.Thousands(s.Sessions), fmt.Sprintf("%d (%.1f %%)", s.Worse, 100*float64(s.Worse)/float64(max(1, s.Sessions))), three(s.Worst)}
	})
}

// sensitivity prints the figures under other assumptions, and of some sessions.
func (t figureText) sensitivity() {
	heading(t.Out, "What the figures depend on")
	head := []string{"assumption, sessions", "", "policy"}
	for _, p := range t.w.prices {
		head = append(head, text.TerminalLine(p.Name))
	}
	rows := [][]string{head}
	add := func(name string, at int, which func(*figuresOf) bool) {
		for policy := 1; policy < len(t.w.policies); policy++ {
			row := []string{name, text.Thousands(t.sum(at, policy, 0, which).Sessions), t.w.policies[policy].Name}
			for i := range t.w.prices {
				row = append(row, three(t.sum(at, policy, i, which).Ratio()))
			}
			rows = append(rows, row)
		}
	}
	for i, c := range figureCases() {
		add(c.name, i, everyone)
	}
	add("never idle for five minutes", 0, func(f *figuresOf) bool { return !f.idles })
	for _, span := range [][2]int{{1, 19}, {20, 49}, {50, 99}, {100, 1 << 30}} {
		name := fmt.Sprintf("%d to %d requests", span[0], span[1])
		if span[1] == 1<<30 {
			name = fmt.Sprintf("%d requests and more", span[0])
		}
		add(name, 0, func(f *figuresOf) bool { return f.calls >= span[0] && f.calls <= span[1] })
	}
	cli.Table(t, rows, 1, 3, 4, 5, 6, 7)
	t.Printf("\n")
}
