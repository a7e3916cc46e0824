package prune

import (
	"context"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/report"
)

// cacheCheck is what replay --check prints as JSON.
type cacheCheck struct {
	Sessions []cacheCheckSession `json:"sessions"`
}

// cacheCheckSession compares recorded usage with the model of a cache, in one
// session. Only calls with recorded usage count.
type cacheCheckSession struct {
	Session string `json:"session"`
	Calls   int    `json:"calls"`
	// PromptTokens and ReadTokens were recorded: all input, and what of it was read
	// from the cache.
	PromptTokens token.Count `json:"prompt_tokens"`
	ReadTokens   token.Count `json:"read_tokens"`
	// Prices is what the model of each cache says instead.
	Prices map[string]cacheCheckPrices `json:"prices"`
}

// cacheCheckPrices is what one model of a cache says of a session.
type cacheCheckPrices struct {
	PromptTokens token.Count `json:"prompt_tokens"`
	ReadTokens   token.Count `json:"read_tokens"`
	// Agrees counts the calls that are warm in both or cold in both.
	Agrees int `json:"agrees"`
}

// checkedSession is a session that was compared, nil when it could not be read.
type checkedSession struct {
	replayLosses
	*cacheCheckSession
}

// runCacheCheck compares the files' recorded usage with the models of caches.
func runCacheCheck(a *cli.Run, ctx context.Context, w *replayWork, files []string) error {
	res := cacheCheck{Sessions: []cacheCheckSession{}}
	var lost replayLosses
	for _, s := range forEachFile(ctx, w, files, w.check) {
		if s == nil { // interrupted
			continue
		}
		lost.add(s.replayLosses)
		if s.cacheCheckSession != nil {
			res.Sessions = append(res.Sessions, *s.cacheCheckSession)
		}
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
func (w *replayWork) check(file string) *checkedSession {
	s, rec, lost := w.open(file)
	if s == nil {
		return &checkedSession{replayLosses: lost}
	}
	defer s.Close()
	row := &cacheCheckSession{Session: rec.Session, Prices: make(map[string]cacheCheckPrices)}
	for _, p := range w.prices {
		if !p.Caches() {
			continue
		}
		c := rec.Check(p)
		row.Calls, row.PromptTokens, row.ReadTokens = c.Calls, c.RecordedPrompt, c.RecordedRead
		row.Prices[p.Name] = cacheCheckPrices{c.Prompt, c.Read, c.Agrees}
	}
	return &checkedSession{lost, row}
}

// Text prints the comparison for a person.
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
