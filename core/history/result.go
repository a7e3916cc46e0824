package history

import (
	"fmt"
	"strconv"
	"strings"
)

// Query is a question to the history.
type Query struct {
	Text          string
	Regex         bool
	CaseSensitive bool // of a regular expression
	Filter        Filter
	Order         Order
	Limit         int    // at most this many results; 20 when 0
	Offset        int    // results to pass over
	Spills        Spills // outputs that are searched besides the store; nil for none
	Context       int    // characters of snippet on each side of the match; 200 when 0
	// Stop is called while texts are read one by one, and ends the search when it
	// returns true; nil never does.
	Stop func() bool
}

// Cursor is where the next page of a search begins.
type Cursor struct {
	Offset int // results to pass over
	// Stored is the last entry that the first page could find: what was stored since
	// would move the results. 0 when that is not known.
	Stored int64
}

// String writes a cursor as ParseCursor reads it.
func (c Cursor) String() string {
	if c.Stored == 0 {
		return strconv.Itoa(c.Offset)
	}
	return fmt.Sprintf("%d.%d", c.Offset, c.Stored)
}

// ParseCursor reads what Cursor.String has written.
func ParseCursor(s string) (Cursor, error) {
	offset, stored, known := strings.Cut(s, ".")
	var c Cursor
	var err error
	if c.Offset, err = strconv.Atoi(offset); err == nil && known {
		c.Stored, err = strconv.ParseInt(stored, 10, 64)
	}
	if err != nil || c.Offset < 0 || c.Stored < 0 {
		return Cursor{}, fmt.Errorf("parse cursor %q: want one that a search printed", s)
	}
	return c, nil
}

// Hit is one result.
type Hit struct {
	Row
	// Snippet is the text around the match.
	Snippet string
	// MatchStart and MatchEnd are byte offsets of the match in Snippet.
	MatchStart, MatchEnd int
	// Line is where the match begins in the text that Expand returns, counted from 1; 0
	// when that text does not have it.
	Line int
	// Alike counts the results that say nearly the same and are left out.
	Alike int
	// Spill is the id of the output that is kept whole and that the match is in, when the
	// entry has only a part of it; else "". Line is one of the output.
	Spill string
	// Other is the call of which this is the result, or the result of this call, when it
	// matches too: they are one result. "" for none.
	Other string
	BranchStatus
}

// Source is the id by which Expand's callers show the text that the match is in.
func (h Hit) Source() string {
	if h.Spill != "" {
		return h.Spill
	}
	return h.EntryID
}

// Around is the range of lines around the match, as Expand takes it; "" when the line is
// not known.
func (h Hit) Around() string {
	if h.Line == 0 {
		return ""
	}
	return LinesAround(h.Line).String()
}

// The steps of a text search, from strict to loose. A search takes the first step
// that finds something and says which one that was.
const (
	StepAll       = "all words"
	StepAllFirst  = "all words, then some of them"
	StepPrefix    = "all words as prefixes"
	StepNoStop    = "all words but the common ones"
	StepForms     = "all words in any form"
	StepSubstring = "as part of a word"
	StepAny       = "some of the words"
	StepRegex     = "regex"
)

// Result is the answer to a query.
type Result struct {
	Hits []Hit
	// More is set when there are results beyond the limit.
	More bool
	// Step says how the query was understood.
	Step string
	// Ranked is set when the best comes first, and not the newest.
	Ranked bool
	// Scanned counts how often texts were read one by one because the index lacks them
	// or cannot answer the question.
	Scanned int
	// Lacking counts the texts that were read because an index still lacks them.
	Lacking int
	// Capped is how many of the newest matches were ranked when there were too many to
	// rank all of them, else 0.
	Capped int
	// Since is set when texts that hold several common words were looked for only back
	// to this time, in Unix milliseconds. Older texts are among the results when they
	// hold a word that is not common.
	Since int64
	// Stopped is set when Query.Stop ended the search before all texts were read: Of
	// is how many there are, and Next, as Filter.Before, continues the search.
	Stopped bool
	Of      int
	Next    int64
	// SpillsLeft is set when there are outputs kept whole that were not read.
	SpillsLeft bool
	// Suggestion is the query with its typing errors corrected, "" when it seems to have
	// none.
	Suggestion string
	// Stored is the Row.ID of the last entry that could be found, for a Cursor; 0 when the
	// store does not tell.
	Stored int64
}
