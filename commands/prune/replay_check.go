package prune

import (
	"context"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/report"
)

// cacheCheck is what replay --check prints as JSON.
type cacheCheck struct {
	Sessions []cacheCheckSession `json:"sessions"`
}

// cacheCheckSession compares the recorded usage of a session with the model of a cache.
// Only requests with recorded usage count.
type cacheCheckSession struct {
	Session string `json:"session"`
	Calls   int    `json:"calls"`
	// PromptTokens and ReadTokens are recorded: all input, and the part of it that was
	// read from the cache.
	PromptTokens token.Count `json:"prompt_tokens"`
	ReadTokens   token.Count `json:"read_tokens"`
	// Prices is the prediction for each price profile with a cache.
	Prices map[string]cacheCheckPrices `json:"prices"`
}

// cacheCheckPrices is the prediction for one price profile.
type cacheCheckPrices struct {
	PromptTokens token.Count `json:"prompt_tokens"`
	ReadTokens   token.Count `json:"read_tokens"`
	// Agrees counts the requests that are warm in both or cold in both.
	Agrees int `json:"agrees"`
}

// runCacheCheck compares the recorded usage of sessions with the models of caches.
func runCacheCheck(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	res := cacheCheck{Sessions: []cacheCheckSession{}}
	all, lost := eachSession(ctx, w, files, w.check)
	for _, s := range all {
		res.Sessions = append(res.Sessions, *s)
	}
	if err := a.Out.Emit(res, func(out *cli.Out) { res.Text(out, w.prices) }); err != nil {
		return err
	}
	err := lost.verdict(a.Env.Err, len(files))
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// check compares one session.
func (w *replayWork) check(_ string, rec *replay.Recording) *cacheCheckSession {
	row := &cacheCheckSession{Session: rec.Session, Prices: make(map[string]cacheCheckPrices)}
	for _, p := range w.prices {
		if !p.Caches() {
			continue
		}
		c := rec.Check(p)
		row.Calls, row.PromptTokens, row.ReadTokens = c.Calls, c.RecordedPrompt, c.RecordedRead
		row.Prices[p.Name] = cacheCheckPrices{c.Prompt, c.Read, c.Agrees}
	}
	return row
}

// Text prints the comparison as text.
func (c *cacheCheck) Text(w *cli.Out, prices []token.Prices) {
	heading(w, "Input read from the cache, of all input; and how many requests agree")
	head, right := []string{"session", "requests", "recorded"}, []int{1, 2}
	for _, p := range prices {
		if p.Caches() {
			head, right = append(head, text.TerminalLine(p.Name)), append(right, len(head))
		}
	}
	rows := [][]string{head}
	ids := report.CutIDs(len(c.Sessions), func(i int) string { return c.Sessions[i].Session })
	for i := range c.Sessions {
		s := &c.Sessions[i]
		row := []string{ids[i], text.Thousands(s.Calls), report.Share(s.ReadTokens, s.PromptTokens)}
		for _, p := range prices {
			if m, ok := s.Prices[p.Name]; ok {
				row = append(row, report.Share(m.ReadTokens, m.PromptTokens)+" "+report.Share(m.Agrees, s.Calls))
			}
		}
		rows = append(rows, row)
	}
	w.FittedTable(rows, right...)
}

// runFigures prints what the policies auto and cold cost under many assumptions.
func runFigures(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	all, lost := eachSession(ctx, w, files, func(_ string, rec *replay.Recording) *replay.Sample {
		w.assume(rec)
		sample, err := rec.Sample(ctx, w.policies, w.prices)
		if err != nil {
			return nil
		}
		return sample
	})
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

// planLine is a line of replay --plans: an entry that a policy pruned.
type planLine struct {
	Session string `json:"session"`
	Policy  string `json:"policy"`
	// Request is the first request without the entry, counted from 1.
	Request int    `json:"request"`
	Entry   string `json:"entry"`
	Source  string `json:"source"`
	Reason  string `json:"reason"`
	// Marker replaces the entry. For a response it is the content that is left.
	Marker string `json:"marker"`
	Tokens int    `json:"tokens"`
}

// runPlans prints what each policy pruned under the selected prices, in order of time.
func runPlans(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	all, lost := eachSession(ctx, w, files, func(_ string, rec *replay.Recording) *[]planLine { return w.plans(ctx, rec) })
	for _, lines := range all {
		for _, line := range *lines {
			if err := a.Out.Line(line); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return lost.verdict(a.Env.Err, len(files))
}

// plans returns what each policy pruned in a session, nil when ctx ends first.
func (w *replayWork) plans(ctx context.Context, rec *replay.Recording) *[]planLine {
	w.assume(rec)
	var lines []planLine
	for _, p := range w.policies {
		runs, err := rec.Run(ctx, p, w.prices[w.shown:w.shown+1], replay.Options{Pruned: true})
		if err != nil {
			return nil
		}
		for _, e := range runs[0].Pruned {
			lines = append(lines, planLine{rec.Session, p.Name, e.Call, e.EntryID, e.Source, e.Reason, e.Marker, int(e.Tokens)})
		}
	}
	return &lines
}
