package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// Query is a search of the history.
type Query struct {
	Text string
	// Or are other phrasings of the same question; their results are interleaved with those
	// of Text.
	Or            []string
	Regex         bool
	CaseSensitive bool // of a regular expression
	Filter        Filter
	Newest        bool   // the newest results first, also of several words
	Limit         int    // at most this many results; 20 when 0
	Offset        int    // results to skip
	Spills        Spills // whole outputs to search besides the store; nil for none
	Context       int    // characters of snippet on each side of the match; 200 when 0
	// Stop is called while texts are read one by one, and ends the search by returning
	// true. It may be nil.
	Stop func() bool
}

// Cursor is the start of the next page of a search.
type Cursor struct {
	Offset int // results to pass over
	// Stored is what the first page could find. What is stored since would shift the results.
	Stored Mark
}

// Mark is what was stored at some time: the last entry and the last summary, by their row
// ids. The zero value is unknown.
type Mark struct{ Entry, Summary int64 }

// String writes a cursor as ParseCursor reads it. What is zero at its end is left out.
func (c Cursor) String() string {
	out := fmt.Sprintf("%d.%d.%d", c.Offset, c.Stored.Entry, c.Stored.Summary)
	return strings.TrimSuffix(strings.TrimSuffix(out, ".0"), ".0")
}

// ParseCursor parses the result of Cursor.String.
func ParseCursor(s string) (Cursor, error) {
	var at [3]int64
	fields := strings.Split(s, ".")
	for i, f := range fields {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || n < 0 || i >= len(at) {
			return Cursor{}, fmt.Errorf("parse cursor %q: want one that a search printed", s)
		}
		at[i] = n
	}
	return Cursor{Offset: int(at[0]), Stored: Mark{at[1], at[2]}}, nil
}

// Hit is one result.
type Hit struct {
	Row
	// Snippet is the text around the match.
	Snippet string
	// MatchStart and MatchEnd are byte offsets of the match in Snippet.
	MatchStart, MatchEnd int
	// CutBefore and CutAfter are set when the text goes on before or after Snippet.
	CutBefore, CutAfter bool
	// Line is the line, from 1, of the match in the text that Expand returns; 0 when that
	// text lacks it.
	Line int
	// Spill is the id of the whole output that contains the match, when the entry has only
	// an excerpt of it; else "". Line then refers to the output.
	Spill string
	// Other is the call of this result, when that matches too and was merged into this hit,
	// or the result of this call, in a ranking always; else "".
	Other string
	// Store is the key of the project that has the entry, "" when only one was searched.
	Store string
	// Answer is, in a ranking, the reply to a prompt, or for the best results the one that
	// their turn ended with; else nil.
	Answer *Answer
	BranchStatus
}

// With returns the other entries that a hit names: its call or its result, and the answer
// to it.
func (h Hit) With() []string {
	var out []string
	if h.Other != "" {
		out = append(out, h.Other)
	}
	if h.Answer != nil {
		out = append(out, h.Answer.EntryID)
	}
	return out
}

// Source returns the id with which Expand's callers show the text that contains the match.
func (h Hit) Source() string {
	if h.Spill != "" {
		return h.Spill
	}
	return h.EntryID
}

// Around returns the range of lines around the match, as Expand takes it; "" when the line
// is unknown.
func (h Hit) Around() string {
	if h.Line == 0 {
		return ""
	}
	return LinesAround(h.Line).String()
}

// The steps of a search, in the order in which they are tried. A search stops at the first
// that finds something and reports which one that was.
const (
	StepAll       = "all words"
	StepAllFirst  = "all words, then some of them"
	StepAny       = "some of the words"
	StepSubstring = "as part of a word"
	StepRegex     = "regex"
)

// Result is the answer to a query.
type Result struct {
	Hits []Hit
	// More is set when there are results beyond the limit.
	More bool
	// Step is how the query was understood.
	Step string
	// Ranked is set when the best results come first rather than the newest.
	Ranked bool
	// Scanned is the number of texts that were read one by one, because the index cannot answer
	// the query.
	Scanned int
	// Since is set, in Unix milliseconds, when words that very many texts have were looked
	// for only back to this time. Older texts are found if they have a rarer word.
	Since int64
	// Stopped is set when Query.Stop ended the search early. Of is then the number of
	// texts, and Next, as Filter.Before, continues the search.
	Stopped bool
	Of      int
	Next    int64
	// SpillsLeft is set when not all whole outputs were read.
	SpillsLeft bool
	// Weak is set when no text has more than one of the query's several words: the answer
	// probably uses others.
	Weak bool
	// Suggestion is the query with its typing errors corrected, "" when it seems to have
	// none.
	Suggestion string
	// Stored is what could be found, for a Cursor.
	Stored Mark
}

// Answer is the reply with which the turn of an entry ended. The prompt of a question often
// has its words, and the reply to it none: "yes, both". A remark on the way has them too, and
// the reply says what came of it.
type Answer struct {
	EntryID string
	// Text is the part of the reply that matches the query, else its beginning, with "…"
	// where it is cut.
	Text string
	// Line is the line, from 1, in which Text begins to match, in the text that Expand
	// returns; 0 when that text lacks it.
	Line int
}

// Around returns the range of lines around the match, as Expand takes it; "" when the line
// is unknown.
func (a Answer) Around() string { return Hit{Line: a.Line}.Around() }

// Answered says what the Answer of a hit is to it.
func (h Hit) Answered() string {
	if h.Role == message.RoleUser {
		return "answered by"
	}
	return "its turn ended with"
}

// BranchStatus is the position of an entry in its session.
type BranchStatus struct {
	// OffBranch is set when the entry is on an abandoned branch.
	OffBranch bool
	// Replaced is set when the session's file was rewritten and now has another text for
	// the entry.
	Replaced bool
	// Summary is the key of the summary that covers the entry or, for a summary, of the one
	// that it was merged into; "" when there is none.
	Summary string
}

// Add adds what else another search of the same query tells, but for its results.
func (r *Result) Add(o Result) {
	if len(o.Hits) > 0 {
		r.Weak = o.Weak && (r.Weak || r.Step == "")
		if r.Step == "" || Looser(r.Step, o.Step) {
			r.Step, r.Ranked = o.Step, o.Ranked
		}
	}
	r.More = r.More || o.More
	r.Scanned += o.Scanned
	r.Of += o.Of
	r.Since, r.Next = max(r.Since, o.Since), max(r.Next, o.Next)
	r.Stopped, r.SpillsLeft = r.Stopped || o.Stopped, r.SpillsLeft || o.SpillsLeft
	if r.Suggestion == "" {
		r.Suggestion = o.Suggestion
	}
}

// Looser reports whether a step finds texts that are less like the query than another.
func Looser(than, step string) bool {
	order := []string{StepRegex, StepAll, StepAllFirst, StepAny, StepSubstring}
	return slices.Index(order, step) < slices.Index(order, than)
}

// MergeHits merges the results of several searches: ranked ones in turn, since scores of
// different stores do not compare, others by their times.
func MergeHits(lists [][]Hit, ranked bool) (out []Hit) {
	for n, more := 0, true; more; n++ {
		more = false
		for _, list := range lists {
			if n < len(list) {
				out, more = append(out, list[n]), true
			}
		}
	}
	if !ranked {
		slices.SortStableFunc(out, func(a, b Hit) int {
			if Newer(a.Row, b.Row) {
				return -1
			}
			return 1
		})
	}
	return out
}
