package commands

import (
	"context"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
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
	PromptTokens int64 `json:"prompt_tokens"`
	ReadTokens   int64 `json:"read_tokens"`
	// Prices is what the model of each cache says instead.
	Prices map[string]cacheCheckPrices `json:"prices"`
}

// cacheCheckPrices is what one model of a cache says of a session.
type cacheCheckPrices struct {
	PromptTokens int64 `json:"prompt_tokens"`
	ReadTokens   int64 `json:"read_tokens"`
	// Agrees counts the calls that are warm in both or cold in both.
	Agrees int `json:"agrees"`
}

// checkCache compares the files' recorded usage with the models of caches.
func (a *app) checkCache(ctx context.Context, w *replayWork, files []string) error {
	all := make([]*cacheChecked, len(files))
	w.each(ctx, files, func(i int) { all[i] = w.check(files[i]) })
	res := cacheCheck{Sessions: []cacheCheckSession{}}
	var problems []replayProblem
	var damage []replayDamage
	for i, c := range all {
		switch {
		case c == nil: // interrupted
		case c.err != nil:
			problems = append(problems, replayProblem{files[i], c.err.Error()})
		default:
			res.Sessions, damage = append(res.Sessions, c.cacheCheckSession), append(damage, c.damage...)
		}
	}
	if err := a.out.emit(res, func(out *out) { res.text(out, w.prices) }); err != nil {
		return err
	}
	err := a.replayVerdict(problems, damage, len(files))
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// cacheChecked is a session that was compared.
type cacheChecked struct {
	cacheCheckSession
	damage []replayDamage
	err    error
}

// check compares one session.
func (w *replayWork) check(file string) *cacheChecked {
	s, rec, err := w.open(file)
	if err != nil {
		return &cacheChecked{err: err}
	}
	defer s.Close()
	row := &cacheChecked{damage: damageOf(s)}
	row.Session, row.Prices = rec.Session, make(map[string]cacheCheckPrices)
	for _, p := range w.prices {
		if !p.Caches() {
			continue
		}
		c := rec.Check(p)
		row.Calls, row.PromptTokens, row.ReadTokens = c.Calls, int64(c.RecordedPrompt), int64(c.RecordedRead)
		row.Prices[p.Name] = cacheCheckPrices{int64(c.Prompt), int64(c.Read), c.Agrees}
	}
	return row
}

// text prints the comparison for a person.
func (c *cacheCheck) text(w *out, prices []token.Prices) {
	heading(w, "Input read from the cache, of all input; and how many calls agree")
	head, right := []string{"session", "calls", "recorded"}, []int{1, 2}
	ids := make([]string, len(c.Sessions))
	for i := range c.Sessions {
		ids[i] = c.Sessions[i].Session
	}
	for _, p := range prices {
		if p.Caches() {
			head, right = append(head, text.TerminalLine(p.Name)), append(right, len(head))
		}
	}
	rows, n := [][]string{head}, idLength(ids)
	for i := range c.Sessions {
		s := &c.Sessions[i]
		id := text.TerminalLine(s.Session)
		row := []string{id[:min(n, len(id))], text.Thousands(int64(s.Calls)), share(float64(s.ReadTokens), float64(s.PromptTokens))}
		for _, p := range prices {
			if m, ok := s.Prices[p.Name]; ok {
				row = append(row, share(float64(m.ReadTokens), float64(m.PromptTokens))+" "+share(float64(m.Agrees), float64(s.Calls)))
			}
		}
		rows = append(rows, row)
	}
	table(w, rows, right...)
}
