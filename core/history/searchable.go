package history

import (
	"context"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// Filter narrows a search. Empty fields do not.
type Filter struct {
	Sessions []string // session ids
	Roles    []string // pi's role names
	Tool     string
	After    int64 // Unix milliseconds, inclusive
	Before   int64 // exclusive
}

// Row is an entry as a search finds it, without its text.
type Row struct {
	ID       int64
	Session  string
	EntryID  string
	ParentID string
	Type     message.EntryType
	Role     message.Role
	Tool     string
	IsError  bool
	Time     int64
	Ordinal  int   // position in its session's file
	Content  int64 // key of its text
	// Copies counts the entries with the same text that the filter admits: an
	// entry and what forks have of it.
	Copies int
}

// Speaker says who said the text of a row, for a person: a role, or a tool.
func (r Row) Speaker() string { return r.speaker("", " error") }

// modelSpeaker is Speaker for a model, to which a tool must not look like a role.
func (r Row) modelSpeaker() string { return fence.OneLine(r.speaker("tool/", " (error)"), maxName) }

// speaker writes a speaker with what a tool's name begins with and an error ends
// with.
func (r Row) speaker(tool, failed string) string {
	who := string(r.Role)
	switch {
	case r.Tool != "":
		who = tool + r.Tool
	case who == "":
		who = string(r.Type)
	}
	if r.IsError {
		who += failed
	}
	return who
}

// ShortSession is enough of one of pi's session ids to tell sessions apart: a
// prefix that a search by session takes.
func ShortSession(id string) string {
	const uuid, short = 36, 13
	if len(id) == uuid {
		return id[:short]
	}
	return id
}

// Order is the order of results.
type Order int

// The orders of results.
const (
	Newest    Order = iota // latest first
	Relevance              // best first
)

// Found is what an index finds.
type Found struct {
	Rows []Row
	// Capped is set when only so many of the matches were weighed, the newest.
	Capped int
	// Since is set when texts that hold several words, each of them common, were
	// looked for back to this time only, in Unix milliseconds.
	Since int64
}

// Probe narrows a scan to texts that may be what is looked for. The zero Probe is
// every text.
type Probe struct {
	// Lacking asks for the texts that the index of words lacks, and no others.
	Lacking bool
	// Need is what a text must hold to be worth reading.
	Need Need
	// Parts are parts of words, as PartSet gives them, that a text must hold all.
	Parts []string
}

// Seen is what a look at a line showed.
type Seen struct {
	// Size is that of the text that is searched in it, in bytes; 0 when there is
	// none.
	Size int
	// Held are the parts of the query that the text holds, a bit each, for each step
	// that is tried; nil when that are none.
	Held []uint64
}

// Look reads a line, which is valid until it returns.
type Look func(raw []byte) Seen

// Take takes what was seen of a text, and reports whether there is more to do.
type Take func(r Row, s Seen) bool

// Coverage says how a scan went.
type Coverage struct {
	Read    int  // texts that were read
	Lacking int  // texts that an index lacks, and that were read therefore
	Indexed bool // an index chose what to read
}

// SearchStore is what Search needs of a database.
type SearchStore interface {
	// FullText reports whether Match can be used.
	FullText() bool
	// Match returns the rows whose text the index finds for an expression, one for
	// each text.
	Match(ctx context.Context, x Expr, f Filter, o Order, limit, offset int) (Found, error)
	// Scan has look read the line of every text that a probe asks for, and perhaps
	// of others, and gives take what it saw, newest first, until take returns false.
	// Of entries with the same text one is given, with the number of copies. look
	// runs in several goroutines at once, a little ahead of take; take runs in one.
	Scan(ctx context.Context, f Filter, p Probe, look Look, take Take) (Coverage, error)
	// Texts counts the texts that a filter admits.
	Texts(ctx context.Context, f Filter) (int, error)
	// Raw returns the line of a row.
	Raw(ctx context.Context, r Row) ([]byte, error)
}

// Forks knows which sessions have entries in common.
type Forks interface {
	// Family returns a session and its forks, near and far; none when it is not
	// stored.
	Family(ctx context.Context, session string) ([]string, error)
}

// SummarySource is a SearchStore that has summaries of its own beside the entries.
// There are few: they are read for every query.
type SummarySource interface {
	// EachSummary calls fn with every summary that a filter admits, and its text.
	// The row has the summary's key as its entry, and RoleSummary.
	EachSummary(ctx context.Context, f Filter, fn func(r Row, text string)) error
}

// RoleSummary is the role of rows that are summaries.
const RoleSummary message.Role = "summary"
