package commands

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// text prints the result for a person.
func (r *replayResult) text(w *out, o replayOptions) {
	shown := r.shownPrices()
	w.printf("%s, %s, priced as %s (%s)\n\n", text.Count(r.Sessions, "session"), text.Count(r.Calls, "call"),
		text.TerminalLine(shown.Name), profileWords(shown))
	if r.Sessions == 0 {
		return
	}
	r.costTable(w)
	r.textTable(w)
	r.agentTable(w)
	if len(r.Prices) > 1 {
		r.pricesTable(w)
	}
	if o.perSession {
		r.sessionsTable(w)
	}
	if r.Sessions == 1 {
		r.chart(w)
	} else {
		r.bars(w)
	}
	r.converted(w, o.recorded)
	w.printf("%s\n", w.style(styleDim, "Costs are in plain input tokens. Net: with each lost text fetched again, once. Edits and calls\nwhose text is gone are proxies: they are not solve rates."))
}

// piFloor is about what pi sends before a conversation: its system prompt and its
// tools. Sessions that another agent recorded, and that were converted, are priced
// as if they had gone on in pi.
const piFloor = 6000

// converted says when sessions are not of pi, and how they are priced.
func (r *replayResult) converted(w *out, recorded bool) {
	if r.Converted == 0 {
		return
	}
	were := "were"
	if r.Converted == 1 {
		were = "was"
	}
	w.printf("%s %s recorded by another agent, with up to %s tokens of its own system prompt and tools\n",
		text.Count(r.Converted, "session"), were, text.TokensShort(float64(r.ConvertedFloor)))
	if recorded {
		w.printf("before each prompt, which no policy can prune and pi does not send.\n")
		return
	}
	w.printf("before each prompt. They are priced with %s, which is about what pi sends; --recorded leaves them as they were.\n",
		text.Thousands(piFloor))
}

// shownPrices are the prices of Profile.
func (r *replayResult) shownPrices() token.Prices {
	for _, p := range r.Prices {
		if p.Name == r.Profile {
			return p
		}
	}
	return token.Prices{Name: r.Profile, Read: 1, Write: 1}
}

// heading prints the title of a part.
func heading(w *out, title string) { w.printf("%s\n", w.style(styleBold, title)) }

// several reports whether figures about more than one session make sense.
func (r *replayResult) several() bool { return r.Sessions > 1 }

// costTable prints what each policy costs under the shown profile.
func (r *replayResult) costTable(w *out) {
	head := []string{"policy", "tokens sent", "peak", "cost", "vs none", "net"}
	if r.several() {
		head = append(head, "better", "worse", "worst")
	}
	rows := [][]string{head}
	for i := range r.Policies {
		p := &r.Policies[i]
		b := p.Prices[r.Profile]
		row := []string{
			p.Name, text.TokensShort(float64(p.TokensSent)), text.TokensShort(float64(p.PeakContext)),
			text.TokensShort(b.Bill), change(b.BillVsNone), change(b.NetVsNone),
		}
		if r.several() {
			row = append(row, text.Thousands(int64(b.Better)), text.Thousands(int64(b.Worse)), change(b.WorstVsNone))
		}
		rows = append(rows, row)
	}
	table(w, rows, 1, 2, 3, 4, 5, 6, 7, 8)
	w.printf("\n")
}

// textTable prints what the policies did to the cache, and what text they took
// away that was wanted later.
func (r *replayResult) textTable(w *out) {
	rows := [][]string{{"policy", "results pruned", "their tokens", "warm rewrites", "edits without their text", "calls"}}
	for i := range r.Policies {
		p := &r.Policies[i]
		if p.Name == "none" {
			continue
		}
		rows = append(rows, []string{
			p.Name, text.Thousands(int64(p.PrunedResults)), text.TokensShort(float64(p.PrunedTokens)), text.Thousands(int64(p.WarmRewrites)),
			fmt.Sprintf("%s of %s (%s)", text.Thousands(int64(p.EditsMissing)), text.Thousands(int64(p.Edits)),
				share(float64(p.EditsMissing), float64(p.Edits))),
			text.Thousands(int64(p.CallsMissing)),
		})
	}
	if len(rows) > 1 {
		table(w, rows, 1, 2, 3, 4, 5)
		w.printf("\n")
	}
}

// agentTable prints what the rules that stand for an agent deactivated.
func (r *replayResult) agentTable(w *out) {
	rows := [][]string{{"policy", "deactivated", "calls that missed one of them"}}
	for i := range r.Policies {
		if p := &r.Policies[i]; hasAgent(p.Name) {
			rows = append(rows, []string{p.Name, text.Thousands(int64(p.Deactivated)), text.Thousands(int64(p.DeactivatedMissing))})
		}
	}
	if len(rows) > 1 {
		table(w, rows, 1, 2)
		w.printf("%s\n\n", w.style(styleDim, "No agent of these sessions deactivated that: a rule stands for one. What a model does may differ."))
	}
}

// pricesTable prints the cost of each policy under every profile.
func (r *replayResult) pricesTable(w *out) {
	heading(w, "Cost against none, by prices")
	rows := [][]string{{"policy"}}
	for _, p := range r.Prices {
		rows[0] = append(rows[0], text.TerminalLine(p.Name))
	}
	for i := range r.Policies {
		p := &r.Policies[i]
		if p.Name == "none" {
			continue
		}
		row := []string{p.Name}
		for _, prices := range r.Prices {
			row = append(row, change(p.Prices[prices.Name].BillVsNone))
		}
		rows = append(rows, row)
	}
	right := make([]int, len(r.Prices))
	for i := range right {
		right[i] = i + 1
	}
	table(w, rows, right...)
	w.printf("\n")
}

// sessionsTable prints the cost of each session under every policy.
func (r *replayResult) sessionsTable(w *out) {
	heading(w, "Cost against none, by session")
	ids := make([]string, len(r.PerSession))
	for i := range r.PerSession {
		ids[i] = r.PerSession[i].Session
	}
	n := idLength(ids)
	head := []string{"session", "started", "calls", "cost"}
	for i := range r.Policies[1:] {
		head = append(head, r.Policies[i+1].Name)
	}
	rows, right := [][]string{head}, []int{2, 3}
	for i := range r.Policies[1:] {
		right = append(right, 4+i)
	}
	for i := range r.PerSession {
		s := &r.PerSession[i]
		id := text.TerminalLine(s.Session)
		started := "-"
		if len(s.Started) >= len("2006-01-02") {
			started = s.Started[:len("2006-01-02")]
		}
		row := []string{id[:min(len(id), n)], started, text.Thousands(int64(s.Calls)), text.TokensShort(s.Policies[0].Prices[r.Profile].Bill)}
		for j := range s.Policies[1:] {
			row = append(row, change(s.Policies[j+1].Prices[r.Profile].BillVsNone))
		}
		rows = append(rows, row)
	}
	var b bytes.Buffer
	table(&b, rows, right...)
	w.printf("%s\n", b.String())
}

// bars draws what each policy costs.
func (r *replayResult) bars(w *out) {
	const length = 60
	most, name := 0.0, 0
	for i := range r.Policies {
		most = max(most, r.Policies[i].Prices[r.Profile].Bill)
		name = max(name, len(r.Policies[i].Name))
	}
	heading(w, "Cost by policy")
	for i := range r.Policies {
		p := &r.Policies[i]
		b := p.Prices[r.Profile]
		w.printf("%-*s  %s %s\n", name, p.Name, w.style(barStyle(b.BillVsNone), bar(b.Bill, most, length)), text.TokensShort(b.Bill))
	}
	w.printf("\n")
}

// barStyle is the colour of a cost.
func barStyle(ratio float64) string {
	switch {
	case ratio < better:
		return styleGreen
	case ratio > worse:
		return styleRed
	}
	return styleDim
}

// bar draws a value as a bar of at most length characters, to an eighth of one.
func bar(value, most float64, length int) string {
	if most <= 0 {
		return ""
	}
	eighths := int(value/most*float64(length)*8 + 0.5)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// idLength is how much of ids is shown so that no two look the same: at least
// eight characters.
func idLength(ids []string) int {
	n := 8
	for again := true; again; n++ {
		again = false
		seen := make(map[string]string)
		for _, id := range ids {
			short := id[:min(n, len(id))]
			if other, ok := seen[short]; ok && other != id {
				again = true
			}
			seen[short] = id
		}
		if !again {
			return n
		}
	}
	return n
}
