package report

import (
	"cmp"
	"fmt"

	"github.com/coctostan/pictx/core/course"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/model"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/usage"
)

// FigureTable is a table with a head. Right lists the columns of numbers.
type FigureTable struct {
	Title string
	Rows  [][]string
	Right []int
}

// AccountTables returns an account for a terminal, as tables with a sentence below each as
// its title. Lists are short, because the page has them in full. Empty tables are left out.
func AccountTables(a *course.Account) []FigureTable {
	const days, models = 14, 8
	var last []usage.Group
	for _, d := range a.Days[max(0, len(a.Days)-days):] {
		last = append(last, d.Group)
	}
	costs := costTable("DAY", append(last, usage.Group{Key: "total", Total: a.Total}))
	if n := a.Total.Unpriced; n > 0 {
		costs.Title = fmt.Sprintf("%s without a price. Prices: from the sessions themselves, else of %s.", text.Count(n, "request"), model.Date())
	}
	sessions := sessionTable(a)
	if a.Unread > 0 {
		sessions.Title = text.Count(a.Unread, "session") + " could not be followed; the costs hold them."
	}
	var out []FigureTable
	for _, t := range []FigureTable{costs, costTable("MODEL", a.Models[:min(len(a.Models), models)]), partTable(a), lossTable(a), sessions, decisionTable(a)} {
		if len(t.Rows) > 1 || t.Title != "" {
			out = append(out, t)
		}
	}
	return out
}

// money formats the cost of a total, a dash without a price.
func money(t *usage.Total) string {
	if !t.Priced() {
		return unknown
	}
	return fmt.Sprintf("$%.2f", t.Dollars)
}

// costTable returns the table of the costs of groups.
func costTable(head string, groups []usage.Group) FigureTable {
	t := FigureTable{Rows: [][]string{{head, "COST", "REQUESTS", "INPUT", "CACHED", "OUTPUT"}}, Right: []int{1, 2, 3, 4, 5}}
	for i := range groups {
		g := &groups[i]
		t.Rows = append(t.Rows, []string{
			text.TerminalLine(g.Key), money(&g.Total), text.Thousands(g.Responses),
			text.TokensShort(inputTokens(&g.Total)), fmt.Sprintf("%.0f%%", 100*g.Cached()), text.TokensShort(float64(g.Output)),
		})
	}
	return t
}

func partTable(a *course.Account) FigureTable {
	made := a.Made()
	t := FigureTable{Rows: [][]string{{"CONTEXT", "TOKENS SENT", "SHARE"}}, Right: []int{1, 2}}
	for _, p := range partRows(&made) {
		t.Rows = append(t.Rows, []string{p.Name, tokensOf(p.Tokens), p.Share})
	}
	return t
}

func lossTable(a *course.Account) FigureTable {
	t := FigureTable{Rows: [][]string{{"CACHE LOST BY", "TIMES", "TOKENS PAID AGAIN"}}, Right: []int{1, 2}}
	for _, l := range a.Losses() {
		t.Rows = append(t.Rows, []string{string(l.Cause), text.Thousands(l.Times), text.TokensShort(float64(l.Tokens))})
	}
	return t
}

func sessionTable(a *course.Account) FigureTable {
	const sessions, title = 8, 48
	t := FigureTable{Rows: [][]string{{"SESSION", "COST", "REQUESTS", "LARGEST", "PRUNED", "COMPACTED", "TITLE"}}, Right: []int{1, 2, 3, 4, 5}}
	for _, s := range a.Sessions[:min(len(a.Sessions), sessions)] {
		t.Rows = append(t.Rows, []string{
			text.TerminalLine(history.ShortSession(s.ID)), money(&s.Total), text.Thousands(len(s.Requests)),
			tokensOf(s.Peak()), tokensOf(s.Pruned().Tokens), text.Thousands(s.Compactions()), fence.OneLine(s.Title, title),
		})
	}
	return t
}

func decisionTable(a *course.Account) FigureTable {
	const decisions, title = 8, 48
	t := FigureTable{Rows: [][]string{{"DECISION", "STATUS", "SINCE", "SUPERSEDES", "TITLE"}}}
	for _, d := range a.Decisions[max(0, len(a.Decisions)-decisions):] {
		if !d.Removed {
			t.Rows = append(t.Rows, []string{text.TerminalLine(d.ID), string(d.Status), moment(d.Since), cmp.Or(text.TerminalLine(d.Supersedes), unknown), fence.OneLine(cmp.Or(d.Title, decision.TitleOf(d.Text)), title)})
		}
	}
	return t
}
