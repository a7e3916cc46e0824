package history

import (
	"context"

	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/core/message"
)

// Filter narrows a search. Empty fields admit everything.
type Filter struct {
	Sessions []string // session ids
	Roles    []string // pi's role names
	Tool     string
	After    int64 // Unix milliseconds, inclusive
	Before   int64 // exclusive
	Stored   Mark  // nothing stored later is found
	Except   Known // what the reader knows already is not found
}

// Known are entries of a session that a reader has before it.
type Known struct {
	Session string
	Entries []string // entry ids
}

// Row is a stored entry as a search returns it, without its text.
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
	Ordinal  int   // index in its session's file
	Content  int64 // key of its text
	// Copies is the number of entries with the same text that the filter admits: this one
	// and its copies in forks.
	Copies int
}

// Speaker returns the author of a row for a person: a role, or a tool.
func (r Row) Speaker() string { return r.speaker("", " error") }

// ModelSpeaker is Speaker for a model, which must not mistake a tool for a role.
func (r Row) ModelSpeaker() string { return r.speaker("tool/", " (error)") }

// speaker formats the author. tool precedes the name of a tool, failed follows an error.
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

// ShortSession shortens a pi session id to a prefix that still tells sessions apart and
// that searches accept.
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
	Usual     Order = iota // several words: best first; one word: newest first
	Newest                 // newest first
	Relevance              // best first
)

// Found is the result of an index query.
type Found struct {
	// Rows are the matching rows, for the order Newest.
	Rows []Row
	// Candidates are the texts worth weighing, for the order Relevance. Having is roughly
	// how many texts contain each phrase, Of the total number of texts.
	Candidates []Candidate
	Having     []int
	Of         int
	// Capped is how many of the newest matches were ranked when there were too many to rank
	// all, else 0.
	Capped int
	// Since is set, in Unix milliseconds, when texts with several common words were
	// searched only back to this time.
	Since int64
}

// Candidate is a text worth weighing, as the index knows it.
type Candidate struct {
	Text  int64  // key of the text
	Held  uint64 // a bit for each phrase it contains
	Words int    // number of words
	Role  message.Role
}

// Probe selects the texts that a scan must read. The zero Probe selects all.
type Probe struct {
	// Lacking selects only texts that are not in the index of words.
	Lacking bool
	// Texts, unless nil, selects only texts with these keys.
	Texts []int64
	// Need is a necessary condition for a match.
	Need trigram.Need
	// Parts are parts of words, as PartSet returns them; a text must contain all of them.
	Parts []string
}

// Inspection is the result of inspecting one line.
type Inspection struct {
	// Size is the number of bytes of searchable text.
	Size int
	// Held has, for each step that is tried, a bit for each part of the query that the text
	// contains; nil when there are none.
	Held []uint64

	weight *weight // set when texts are ranked
}

// Inspector inspects a line, which is valid only during the call.
type Inspector func(raw []byte) Inspection

// Collector receives the inspection of a row, and reports whether it wants more.
type Collector func(r Row, s Inspection) bool

// Coverage describes a finished scan.
type Coverage struct {
	Read    int  // texts that were read
	Lacking int  // texts that were read because an index lacks them
	Indexed bool // an index selected what to read
}

// SearchStore is what Search needs of a database.
type SearchStore interface {
	// FullText reports whether Match can be used.
	FullText() bool
	// Match queries the index. For Newest it returns matching rows, one for each text; for
	// Relevance it returns texts worth weighing. limit bounds both.
	Match(ctx context.Context, x Expr, f Filter, o Order, limit int) (Found, error)
	// Scan passes the line of every text that a probe selects, and possibly others, to
	// inspect, and the inspections to collect, newest first, until collect returns false.
	// Entries with the same text are passed once, with the number of copies. inspect runs
	// in several goroutines, slightly ahead of collect, which runs in one.
	Scan(ctx context.Context, f Filter, p Probe, inspect Inspector, collect Collector) (Coverage, error)
	// Texts returns the number of texts that a filter admits.
	Texts(ctx context.Context, f Filter) (int, error)
	// Raw returns the line of a row. room is a buffer for it, used if it is large enough.
	Raw(ctx context.Context, r Row, room []byte) ([]byte, error)
}

// Forks knows which sessions share entries.
type Forks interface {
	// Family returns a session and all sessions connected with it by forks, nil when it is
	// not stored.
	Family(ctx context.Context, session string) ([]string, error)
}

// SummarySource is a SearchStore with summaries besides the entries. There are few, so
// every query reads them all.
type SummarySource interface {
	// EachSummary calls fn with every summary that a filter admits, and its text. The row's
	// entry id is the summary's key, its role RoleSummary.
	EachSummary(ctx context.Context, f Filter, fn func(r Row, text string)) error
}

// RoleSummary is the role of rows that are summaries.
const RoleSummary message.Role = "summary"
