package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// The scopes of lcm_grep.
const (
	ScopeSession = "session"
	ScopeProject = "project"
)

// GrepRequest is a call of lcm_grep.
type GrepRequest struct {
	Query string
	// Or are other phrasings of Query.
	Or    []string
	Regex bool
	// Scope is what the model asked for, "" for the session and, if that has no answer, the
	// project. The caller of GrepText applies it by setting Filter.Sessions.
	Scope string
	// Shell is set when the model has no lcm_expand: results are opened with the command.
	Shell  bool
	Filter history.Filter
	Limit  int // results; 20 when 0, at most 50
	// Cursor is the start of the page.
	Cursor history.Cursor
	// Spills are whole outputs to search besides the store; nil for none.
	Spills history.Spills
	// Note is added to the description of the search in the reply, such as "indexing 40 %".
	Note string
	// Stop ends the reading of texts, like Query.Stop.
	Stop func() bool
}

// GrepDetails are the details of GrepText's reply.
type GrepDetails struct {
	ResultCount int      `json:"result_count"`
	IDs         []string `json:"ids"`
	// With are the other entries that a result is shown with: its call or its result, and
	// the reply that answers it or that its turn ended with.
	With   map[string][]string `json:"with,omitempty"`
	Step   string              `json:"step,omitempty"`
	Weak   bool                `json:"weak,omitempty"` // no text has more than one of the words
	More   bool                `json:"more"`
	Cursor string              `json:"cursor,omitempty"` // of the next page
	// Stopped is set when only Scanned of Of texts were read. A call with Before searches
	// the rest.
	Stopped bool   `json:"stopped,omitempty"`
	Scanned int    `json:"scanned,omitempty"`
	Of      int    `json:"of,omitempty"`
	Before  string `json:"before,omitempty"`
	// Since is set when words that very many texts have were looked for only back to that time.
	Since string `json:"since,omitempty"`
}

const (
	grepHint = `Call it like lcm_grep(query="TypeError") or lcm_grep(query="lease timeout", scope="project"). Regular expressions need mode="regex".`

	defaultLimit = 20 // results
	maxResults   = 50
	maxPhrasings = 4
	snippetSide  = 200  // characters of snippet on each side of the match
	grepFrame    = 1400 // UTF-16 units of the frame of all results
)

// ParseGrep parses the arguments of a call of lcm_grep. Its errors are BadCallErrors.
func ParseGrep(raw []byte) (GrepRequest, error) {
	p := readParams(GrepTool, grepHint, raw)
	q := GrepRequest{
		Regex:  p.choice("mode", "text", "regex") == "regex",
		Limit:  p.number("limit"),
		Filter: history.Filter{Roles: p.roles("role"), Tool: strings.TrimSpace(p.text("tool")), After: p.time("after"), Before: p.time("before")},
	}
	asked := p.texts("query")
	switch n := len(asked); {
	case n == 0:
		p.fail("query is missing")
	case n > maxPhrasings:
		p.fail("query has more than %d phrasings", maxPhrasings)
	case n > 1:
		q.Or = asked[1:]
		fallthrough
	default:
		q.Query = asked[0]
	}
	if strings.TrimSpace(p.text("scope")) != "" {
		q.Scope = p.choice("scope", ScopeSession, ScopeProject)
	}
	if s := strings.TrimSpace(p.text("cursor")); s != "" {
		var err error
		if q.Cursor, err = history.ParseCursor(s); err != nil {
			p.fail("cursor must be one that a reply of lcm_grep names, not %s", quoted(s))
		}
	}
	return q, p.err
}

// GrepText searches the history for a model. Finding nothing is not an error; an invalid
// query is a BadCallError.
func GrepText(ctx context.Context, st history.Searcher, q GrepRequest) (Answer, error) {
	q.Limit = min(q.Limit, maxResults)
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	filter := q.Filter
	filter.Stored = q.Cursor.Stored
	res, err := history.Search(ctx, st, history.Query{
		Text: q.Query, Or: q.Or, Regex: q.Regex, Filter: filter, Limit: q.Limit, Offset: q.Cursor.Offset,
		Context: snippetSide, Stop: q.Stop, Spills: q.Spills,
	})
	if err != nil {
		return Answer{}, q.fault(err)
	}
	d := GrepDetails{IDs: []string{}, Step: res.Step, Weak: res.Weak, More: res.More, Since: text.KnownTime(res.Since)}
	if res.Stopped {
		d.Stopped, d.Scanned, d.Of, d.Before = true, res.Scanned, res.Of, text.Time(res.Next)
	}
	items := q.items(res.Hits, &d)
	d.ResultCount = len(d.IDs)
	if d.ResultCount == 0 {
		return Answer{Text: q.noResults(res, d), Details: d}, nil
	}
	if d.More {
		d.Cursor = history.Cursor{Offset: q.Cursor.Offset + d.ResultCount, Stored: res.Stored}.String()
	}
	more := q.more(d)
	if res.Suggestion != "" {
		more += "\nNo text holds all of these words. Did you mean lcm_grep(query=" + quoted(res.Suggestion) + ")?"
	}
	return Answer{Text: q.found(d, res.Ranked) + "\n\n" + items + "\n" + more, Details: d}, nil
}

// items shows as many results as fit into a reply, and records them.
func (q GrepRequest) items(hits []history.Hit, d *GrepDetails) string {
	room := int(MaxReply)*unitsPerToken - grepFrame
	var b strings.Builder
	for i, h := range hits {
		item := q.item(q.Cursor.Offset+i+1, h)
		if room -= text.Units(item); room < 0 && i > 0 {
			d.More = true
			break
		}
		b.WriteString(item)
		d.IDs = append(d.IDs, h.EntryID)
		if with := h.With(); len(with) > 0 {
			if d.With == nil {
				d.With = make(map[string][]string)
			}
			d.With[h.EntryID] = with
		}
	}
	return b.String()
}

// fault converts an error of the query into one that tells the model what to do.
func (q GrepRequest) fault(err error) error {
	var bad *BadCallError
	switch {
	case errors.As(err, &bad):
		return err
	case errors.Is(err, history.ErrEmptyQuery):
		return &BadCallError{Tool: GrepTool, Problem: "query is empty", Hint: grepHint}
	}
	if q.Regex {
		if _, rerr := history.CompileRegex(q.Query, false); rerr != nil {
			return &BadCallError{
				Tool: GrepTool, Problem: fence.OneLine(rerr.Error(), maxNote),
				Hint: `Correct the expression (Go's syntax: no lookaround, no backreferences), or use mode="text", where no character is special.`,
			}
		}
	}
	return err
}

// found is the first line: how many results, for which query, and how they were found.
func (q GrepRequest) found(d GrepDetails, ranked bool) string {
	count := "Found " + text.Count(d.ResultCount, "result")
	switch {
	case q.Cursor.Offset > 0:
		count = fmt.Sprintf("Results %d-%d", q.Cursor.Offset+1, q.Cursor.Offset+d.ResultCount)
	case d.More:
		count = "Found more than " + text.Count(d.ResultCount, "result")
	}
	order := "newest first"
	if ranked {
		order = "best first"
	}
	how := []string{"matched: " + d.Step, order}
	if d.Since != "" {
		how = append(how, fmt.Sprintf("very common words were looked for back to %s only: older ones with before=%q", d.Since, d.Since))
	}
	return count + " for " + q.searched() + q.covered(d, how...)
}

// searched is what was asked, and where.
func (q GrepRequest) searched() string {
	out := quoted(q.Query)
	for _, p := range q.Or {
		out += " or " + quoted(p)
	}
	switch {
	case q.Scope == ScopeProject:
		out += " in all sessions of this project"
	case len(q.Filter.Sessions) > 1:
		out += " in this session and its forks"
	default:
		out += " in this session"
	}
	if len(q.Filter.Roles) > 0 {
		out += ", role " + fence.OneLine(strings.Join(q.Filter.Roles, " or "), maxNote)
	}
	if q.Filter.Tool != "" {
		out += ", tool " + fence.OneLine(q.Filter.Tool, maxName)
	}
	if q.Filter.After != 0 {
		out += ", after " + text.ZonedMinute(q.Filter.After)
	}
	if q.Filter.Before != 0 {
		out += ", before " + text.ZonedMinute(q.Filter.Before)
	}
	return out
}

// covered says in parentheses how the texts were searched, and whether all were, "" if there
// is nothing to say.
func (q GrepRequest) covered(d GrepDetails, how ...string) string {
	if d.Stopped {
		how = append(how, fmt.Sprintf("stopped after reading %s of %s, the newest", token.Count(d.Scanned), text.Count(d.Of, "text")))
	}
	if how = append(how, fence.OneLine(q.Note, maxNote)); text.JoinNonEmpty("", how...) == "" {
		return ""
	}
	return " (" + text.JoinNonEmpty("; ", how...) + ")"
}

// continuation says how to search the texts that were not read, "" when all were.
func (d *GrepDetails) continuation() string {
	if !d.Stopped {
		return ""
	}
	return fmt.Sprintf("\nOlder texts were not read: the same call with before=%q", d.Before)
}

// more says how to see more of the results, and more results.
func (q GrepRequest) more(d GrepDetails) string {
	text := "Whole text of a result: " + q.open(d.IDs[0], "")
	if d.More {
		text += fmt.Sprintf("\nMore results: the same call with %scursor=%q", map[bool]string{true: `scope="project", `}[q.Scope == ScopeProject], d.Cursor)
	}
	if d.Weak {
		text += "\nNo text has more than one of these words, so these are guesses. Ask again in words that the answer may have: names, errors, technical terms."
	}
	if !q.Regex && d.Step != history.StepAll && d.Step != history.StepAllFirst && history.LooksLikeRegex(q.Query) {
		text += "\nThe query was taken as words. As a regular expression: the same call with mode=\"regex\""
	}
	return text + d.continuation()
}

// item formats one result, with the reply below it.
func (q GrepRequest) item(n int, h history.Hit) string {
	line := fmt.Sprintf("[%d] %s %s %s", n, fence.OneLine(h.EntryID, maxName), speaker(h.Row), text.ZonedMinute(h.Time))
	add := func(on bool, format string, args ...any) {
		if on {
			line += fmt.Sprintf(format, args...)
		}
	}
	add(q.Scope == ScopeProject, " session %s", fence.OneLine(history.ShortSession(h.Session), maxName))
	add(h.Copies > 1, " (also in %s)", text.Count(h.Copies-1, "other session"))
	add(h.OffBranch, " off-branch")
	add(h.Replaced, " replaced since")
	add(h.Summary != "", " in %s", h.Summary)
	add(h.Other != "", " with %s", fence.OneLine(h.Other, maxName))
	add(h.Spill != "", " in its whole output")
	add(h.Line > 0 && !h.Replaced, " line %d: %s", h.Line, q.open(h.Source(), h.Around()))
	add(true, "\n    %s\n", snippetLine(h))
	if a := h.Answer; a != nil {
		add(true, "    %s %s: %s\n", h.Answered(), q.open(a.EntryID, a.Around()), fence.OneLine(a.Text, 0))
	}
	return line
}

// open says how the model reads lines of a text, or all of it.
func (q GrepRequest) open(id, lines string) string {
	switch {
	case q.Shell && lines != "":
		return "pictx expand " + fence.OneLine(id, maxWords) + " --lines " + lines
	case q.Shell:
		return "pictx expand " + fence.OneLine(id, maxWords)
	case lines != "":
		return "lcm_expand(id=" + quoted(id) + `, lines="` + lines + `")`
	}
	return "lcm_expand(id=" + quoted(id) + ")"
}

// snippetLine formats the text around a match on one line, with … where it is cut.
func snippetLine(h history.Hit) string {
	before, match, after := h.Snippet[:h.MatchStart], h.Snippet[h.MatchStart:h.MatchEnd], h.Snippet[h.MatchEnd:]
	return h.Ellipsis(strings.TrimSpace(lineWithEnds(before) + fence.OneLine(match, 2*snippetSide) + lineWithEnds(after)))
}

// lineWithEnds is fence.OneLine that keeps the blanks at both ends.
func lineWithEnds(s string) string {
	const mark = "|"
	s = fence.OneLine(mark+s+mark, 0)
	return s[len(mark) : len(s)-len(mark)]
}

// noResults says what was searched without a result, and what to try next.
func (q GrepRequest) noResults(res history.Result, d GrepDetails) string {
	if res.Step != "" && q.Cursor.Offset > 0 {
		return fmt.Sprintf("No more results for %s: there are at most %d.", q.searched(), q.Cursor.Offset)
	}
	body := "Nothing found for " + q.searched() + q.covered(d)
	if res.Suggestion != "" {
		body += ".\nDid you mean lcm_grep(query=" + quoted(res.Suggestion) + ")?"
	}
	how := "as words in any form, and inside words"
	if q.Regex {
		how = "by regular expression"
	}
	return body + ".\nSearched " + how + ": prompts, answers, tool calls, tool output, commands, summaries." + d.continuation() + "\nTry: " + q.advice() + "."
}

// advice lists other calls that may find more.
func (q GrepRequest) advice() string {
	var tries []string
	f := q.Filter
	if q.Scope != ScopeProject {
		tries = append(tries, `scope="project"`)
	}
	if len(f.Roles) > 0 || f.Tool != "" || f.After != 0 || f.Before != 0 {
		tries = append(tries, "the same without role, tool, after and before")
	}
	if q.Regex {
		return strings.Join(append(tries, `mode="text" with the words that matter`), "; ")
	}
	if strings.ContainsAny(q.Query, `\[]()|*+?^$`) {
		tries = append(tries, `mode="regex"`)
	}
	return strings.Join(append(tries, "fewer or other words, such as a file name or a part of an error message"), "; ")
}
