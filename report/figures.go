package report

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// FigureTable is a table with a head. Right lists the columns of numbers.
type FigureTable struct {
	Title string
	Rows  [][]string
	Right []int
}

// Figures returns the tables of replay --figures for sessions replayed under policies, the
// first of which is "none", and price profiles.
func Figures(all []*replay.Sample, policies []replay.Policy, prices []token.Prices) []FigureTable {
	t := figures{all, policies, prices}
	return []FigureTable{t.totals(), t.prefixes(replay.ShortStarts()), t.prefixes(replay.LongStarts()), t.losses(), t.sensitivity()}
}

// figures computes the tables for some sessions.
type figures struct {
	all      []*replay.Sample
	policies []replay.Policy
	prices   []token.Prices
}

// sum adds up the sessions that which selects, under one assumption.
func (t figures) sum(at, policy, prices int, which func(*replay.Sample) bool) *replay.Sum {
	s := &replay.Sum{}
	for _, f := range t.all {
		if which(f) {
			s.Add(f.Session, &f.Runs[at][policy][prices], &f.Runs[at][0][prices])
		}
	}
	return s
}

func everyone(*replay.Sample) bool { return true }

// perPrices returns a table with a row for each policy and price profile.
func (t figures) perPrices(title string, head []string, row func(policy, prices int) []string) FigureTable {
	rows := [][]string{append([]string{"policy", "prices"}, head...)}
	for policy := 1; policy < len(t.policies); policy++ {
		for i, prices := range t.prices {
			rows = append(rows, append([]string{t.policies[policy].Name, text.TerminalLine(prices.Name)}, row(policy, i)...))
		}
	}
	right := make([]int, len(head))
	for i := range right {
		right[i] = i + 2
	}
	return FigureTable{title, rows, right}
}

func three(v float64) string { return fmt.Sprintf("%.3f", v) }

// totals returns the table of the costs of all sessions, and of each half of them.
func (t figures) totals() FigureTable {
	head := []string{"whole", "first half", "second half", "alone", "median", "worse", "worse alone", "worst", "edits lost"}
	return t.perPrices("", head, func(policy, i int) []string {
		all := t.sum(0, policy, i, everyone)
		first := t.sum(0, policy, i, func(f *replay.Sample) bool { return !replay.SecondHalf(f.Session) })
		second := t.sum(0, policy, i, func(f *replay.Sample) bool { return replay.SecondHalf(f.Session) })
		return []string{
			three(all.Ratio()), three(first.Ratio()), three(second.Ratio()), three(all.Alone()), three(all.Median()),
			text.Thousands(all.Worse), text.Thousands(all.WorseAlone), three(all.Worst),
			fmt.Sprintf("%d of %d", all.EditsMissing, all.Edits),
		}
	})
}

// prefixes returns the table of what sessions cost that end after so many requests.
func (t figures) prefixes(lengths []int) FigureTable {
	title := fmt.Sprintf("Sessions that end after %v requests", lengths)
	return t.perPrices(title, []string{"starts", "over 1 % more", "worst"}, func(policy, i int) []string {
		s := t.starts(policy, i, lengths)
		return []string{text.Thousands(s.Sessions), fmt.Sprintf("%d (%.1f %%)", s.Worse, 100*float64(s.Worse)/float64(max(1, s.Sessions))), three(s.Worst)}
	})
}

// starts adds up the first requests of all sessions.
func (t figures) starts(policy, prices int, lengths []int) *replay.Sum {
	s := &replay.Sum{}
	for _, f := range t.all {
		s.AddPrefixes(f.Session, lengths, &f.Runs[0][policy][prices], &f.Runs[0][0][prices])
	}
	return s
}

// losses returns the table of the session, and of the session start, with the largest loss
// against plain pi, by cause.
func (t figures) losses() FigureTable {
	rows := [][]string{{"policy", "prices", "session", "requests", "whole", "alone", "declared", "fetches", "compaction"}}
	add := func(policy, prices int, s *replay.Sum) {
		if len(s.Losses) == 0 {
			return
		}
		l := &s.Losses[0]
		rows = append(rows, []string{
			t.policies[policy].Name, text.TerminalLine(t.prices[prices].Name), text.TerminalLine(l.Session), text.Thousands(l.Requests),
			three(l.Whole), three(l.Alone), points(l, bill.Declarations), points(l, bill.Fetches), points(l, bill.Summaries),
		})
	}
	for policy := 1; policy < len(t.policies); policy++ {
		for i := range t.prices {
			add(policy, i, t.sum(0, policy, i, everyone))
			add(policy, i, t.starts(policy, i, slices.Concat(replay.ShortStarts(), replay.LongStarts())))
		}
	}
	return FigureTable{"The session that costs most more than plain pi, and the start of one", rows, []int{3, 4, 5, 6, 7, 8}}
}

// points formats a part of a loss as a percentage of plain pi's bill.
func points(l *replay.Loss, p bill.Part) string { return fmt.Sprintf("%+.1f %%", 100*l.Share(p)) }

// sensitivity returns the table of the figures under other assumptions, and of some sessions.
func (t figures) sensitivity() FigureTable {
	head := []string{"assumption, sessions", "", "policy"}
	for _, p := range t.prices {
		head = append(head, text.TerminalLine(p.Name))
	}
	rows := [][]string{head}
	add := func(name string, at int, which func(*replay.Sample) bool) {
		for policy := 1; policy < len(t.policies); policy++ {
			row := []string{name, text.Thousands(t.sum(at, policy, 0, which).Sessions), t.policies[policy].Name}
			for i := range t.prices {
				row = append(row, three(t.sum(at, policy, i, which).Ratio()))
			}
			rows = append(rows, row)
		}
	}
	for i, c := range replay.Cases() {
		add(c.Name, i, everyone)
	}
	add("never idle for five minutes", 0, func(f *replay.Sample) bool { return !f.Idles })
	for _, span := range [][2]int{{1, 19}, {20, 49}, {50, 99}, {100, 1 << 30}} {
		name := fmt.Sprintf("%d to %d requests", span[0], span[1])
		if span[1] == 1<<30 {
			name = fmt.Sprintf("%d requests and more", span[0])
		}
		add(name, 0, func(f *replay.Sample) bool { return f.Calls >= span[0] && f.Calls <= span[1] })
	}
	return FigureTable{"What the figures depend on", rows, []int{1, 3, 4, 5, 6, 7}}
}
