package history

import (
	"context"

	"github.com/coctostan/pictx/core/message"
)

// Filter narrows a search. Empty fields do not narrow it.
type Filter struct {
	Sessions []string // session ids
	Roles    []string // pi's role names
	Tool     string
	After    int64 // Unix milliseconds, inclusive
	Before   int64 // exclusive
	Stored   int64 // the Row.ID of the last entry that was stored in time to be found
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
	// Copies counts the entries with the same text that the filter admits: the entry
	// and its copies in forks.
	Copies int
}

// Speaker says who said the text of a row, for a person: a role, or a tool.
func (r Row) Speaker() string { return r.speaker("", " error") }

// ModelSpeaker is Speaker for a model, to which a tool must not look like a role.
func (r Row) ModelSpeaker() string { return r.speaker("tool/", " (error)") }

// speaker writes who said something: tool is put before the name of a tool, failed
// after an error.
func (r Row) speaker(tool, failed string) string {
	name := string(r.Role)
	switch {
	case r.Tool != "":
		name = tool + r.Tool
	case name == "":
		name = string(r.Type)
	}
	if r.IsError {
		name += failed
	}
	return name
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
	Usual     Order = iota // of several words the best first, of one the latest
	Newest                 // latest first
	Relevance              // best first
)

// Found is what an index found.
type Found struct {
	// Rows are the rows that match, when they were asked for newest first.
	Rows []Row
	// Candidates are the texts that are worth weighing, when they were asked for by
	// relevance. Having says for each phrase how many of all texts hold it, about, and Of
	// how many texts there are.
	Candidates []Candidate
	Having     []int
	Of         int
	// Capped is how many of the newest matches were ranked when there were too many to
	// rank all of them, else 0.
	Capped int
	// Since is set when texts that hold several common words were looked for only back
	// to this time, in Unix milliseconds.
	Since int64
}

// Candidate is a text that is worth weighing, as an index knows it.
type Candidate struct {
	Text  int64  // its key
	Held  uint64 // a bit for each phrase that it holds
	Words int    // its length
	Role  message.Role
}

// Probe narrows a scan to texts that may match. The zero Probe asks for every text.
type Probe struct {
	// Lacking asks only for texts that the index of words lacks.
	Lacking bool
	// Texts asks only for the texts with these keys, unless it is nil.
	Texts []int64
	// Need is what a text must hold to be worth reading.
	Need Need
	// Parts are parts of words, as PartSet returns them; a text must hold all of them.
	Parts []string
}

// Inspection is the result of looking at one line.
type Inspection struct {
	// Size is how many bytes of searched text the line has.
	Size int
	// Held says for each step that is tried which parts of the query the text holds, a
	// bit for each part; nil when it holds none for any step.
	Held []uint64

	weight *weight // what the text holds of a question, when texts are ranked
}

// Inspector looks at a line, which is valid until it returns.
type Inspector func(raw []byte) Inspection

// Collector takes the inspection of a row, and reports whether it wants more.
type Collector func(r Row, s Inspection) bool

// Coverage says how a scan went.
type Coverage struct {
	Read    int  // texts that were read
	Lacking int  // texts that were read because an index lacks them
	Indexed bool // an index chose what to read
}

// SearchStore is what Search needs of a database.
type SearchStore interface {
	// FullText reports whether Match can be used.
	FullText() bool
	// Match returns what matches an expression by the index: newest first the rows, one
	// for each text; by relevance the texts that are worth weighing, limit at most.
	Match(ctx context.Context, x Expr, f Filter, o Order, limit int) (Found, error)
	// Scan lets inspect look at the line of every text that a probe asks for, and
	// perhaps of others, and hands the inspections to collect, newest first, until
	// collect returns false. Entries with the same text are handed over once, with the
	// number of copies. inspect runs in several goroutines, a little ahead of collect,
	// which runs in one.
	Scan(ctx context.Context, f Filter, p Probe, inspect Inspector, collect Collector) (Coverage, error)
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

// SummarySource is a SearchStore that has summaries besides the entries. There are
// few, so they are read for every query.
type SummarySource interface {
	// EachSummary calls fn with every summary that a filter admits, and its text.
	// The row has the summary's key as its entry, and RoleSummary.
	EachSummary(ctx context.Context, f Filter, fn func(r Row, text string)) error
}

// RoleSummary is the role of rows that are summaries.
const RoleSummary message.Role = "summary"
