package history

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
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

// Newer reports whether row a precedes row b in the order newest first. It depends only on
// the content of the session files.
func Newer(a, b Row) bool {
	switch {
	case a.Time != b.Time:
		return a.Time > b.Time
	case a.Ordinal != b.Ordinal:
		return a.Ordinal > b.Ordinal
	case a.Session != b.Session:
		return a.Session > b.Session
	}
	return a.EntryID > b.EntryID
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
// that searches accept. An id of another form, which a file may hold, is made printable.
func ShortSession(id string) string {
	const uuid, short = 36, 13
	if len(id) == uuid {
		id = id[:short]
	}
	return text.TerminalLine(id)
}

// Searcher answers queries.
type Searcher interface {
	// Search answers a query.
	Search(ctx context.Context, q Query) (Result, error)
}

// Forks knows which sessions share entries.
type Forks interface {
	// Others reports whether another session is stored.
	Others(ctx context.Context, session string) (bool, error)
	// Family returns a session and all sessions connected with it by forks, nil when it is
	// not stored.
	Family(ctx context.Context, session string) ([]string, error)
}

// RoleSummary is the role of rows that are summaries.
const RoleSummary message.Role = "summary"

const (
	defaultLimit   = 20
	defaultContext = 200
)

// Search answers a query. Without a limit it returns 20 results, without a context 200
// characters on each side of a match.
func Search(ctx context.Context, st Searcher, q Query) (Result, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	if q.Context <= 0 {
		q.Context = defaultContext
	}
	if len(q.Or) == 0 {
		return st.Search(ctx, q)
	}
	return searchAny(ctx, st, q)
}

// searchAny answers a question in several phrasings: their results in turn, each entry once.
// Those of a phrasing of which no text has more than a word come last.
func searchAny(ctx context.Context, st Searcher, q Query) (Result, error) {
	own := q
	own.Or, own.Limit, own.Offset = nil, q.Offset+q.Limit, 0
	var all Result
	var strong, weak [][]Hit
	for _, phrasing := range append([]string{q.Text}, q.Or...) {
		own.Text = phrasing
		res, err := st.Search(ctx, own)
		if err != nil {
			return all, err
		}
		all.Add(res)
		all.Stored, own.Filter.Stored = res.Stored, res.Stored
		if res.Weak {
			weak = append(weak, res.Hits)
		} else {
			strong = append(strong, res.Hits)
		}
	}
	all.Ranked, all.Suggestion = !q.Newest, ""
	all.Hits = once(append(MergeHits(strong, all.Ranked), MergeHits(weak, all.Ranked)...))
	all.More = all.More || len(all.Hits) > own.Limit
	all.Hits = all.Hits[min(q.Offset, len(all.Hits)):min(own.Limit, len(all.Hits))]
	return all, nil
}

// once removes entries that an earlier hit is or shows.
func once(hits []Hit) []Hit {
	type entry struct{ store, session, id string }
	seen := make(map[entry]bool)
	return slices.DeleteFunc(hits, func(h Hit) bool {
		known := seen[entry{h.Store, h.Session, h.EntryID}]
		for _, id := range append(h.With(), h.EntryID) {
			seen[entry{h.Store, h.Session, id}] = true
		}
		return known
	})
}
