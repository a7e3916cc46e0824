package store

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// Stats are statistics of the store.
type Stats struct {
	Sessions  int         `json:"sessions"`
	Entries   int         `json:"entries"`
	Texts     int         `json:"texts"`        // distinct lines of session files
	TextBytes int64       `json:"text_bytes"`   // of them
	Stored    int64       `json:"stored_bytes"` // their size in the database
	FileBytes int64       `json:"file_bytes"`   // size of the database and its log
	Summaries int         `json:"summaries"`
	First     int64       `json:"-"` // time of the oldest entry, Unix milliseconds; 0 for none
	Last      int64       `json:"-"`
	Purged    int         `json:"purged"` // purged or redacted texts
	Roles     []RoleCount `json:"roles"`
}

// RoleCount counts the entries of a role.
type RoleCount struct {
	Role    string `json:"role"` // "" for entries that are not messages
	Entries int    `json:"entries"`
}

// Stats computes the statistics.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var v Stats
	for query, to := range map[string][]any{
		`SELECT count(*) FROM conversations`:                                                       {&v.Sessions},
		`SELECT count(*), coalesce(sum(size), 0), coalesce(sum(length(data)), 0) FROM content`:     {&v.Texts, &v.TextBytes, &v.Stored},
		`SELECT count(*), coalesce(min(nullif(time, 0)), 0), coalesce(max(time), 0) FROM messages`: {&v.Entries, &v.First, &v.Last},
		`SELECT count(*) FROM summaries`:                                                           {&v.Summaries},
		`SELECT count(*) FROM purged`:                                                              {&v.Purged},
	} {
		if err := s.db.QueryRowxContext(ctx, query).Scan(to...); err != nil {
			return v, fmt.Errorf("count history: %w", sqlite.Explain(err))
		}
	}
	if err := s.db.SelectContext(ctx, &v.Roles, `SELECT role, count(*) AS entries FROM messages GROUP BY role ORDER BY entries DESC, role`); err != nil {
		return v, fmt.Errorf("count history: %w", sqlite.Explain(err))
	}
	v.FileBytes = s.db.Size()
	return v, nil
}

// Finding is a problem of the history.
type Finding struct {
	Name   string
	Count  int
	Remedy string // a command, "" when nothing helps

	index bool // the index is wrong and has to be rebuilt
}

// Mendable reports whether Repair can solve the problem.
func (f Finding) Mendable() bool { return f.Remedy == remedyFix }

// Examine checks the parts of the history against each other, which finds what Check does not.
// It reads the whole store and changes nothing.
func (s *Store) Examine(ctx context.Context) ([]Finding, error) {
	var out []Finding
	missed, err := s.Search.Missed(ctx)
	if err != nil {
		return nil, err
	}
	if missed > 0 {
		out = append(out, Finding{Name: "texts that the index misses", Count: missed, Remedy: remedyFix, index: true})
	}
	for _, q := range comparisons() {
		var n int
		if err := s.db.GetContext(ctx, &n, q.query); err != nil {
			return nil, fmt.Errorf("examine history: %w", sqlite.Explain(err))
		}
		if n > 0 {
			var which string
			if q.which != "" {
				if err := s.db.GetContext(ctx, &which, q.which); err != nil {
					return nil, fmt.Errorf("examine history: %w", sqlite.Explain(err))
				}
			}
			out = append(out, Finding{Name: q.name + which, Count: n, Remedy: q.remedy, index: q.index})
		}
	}
	orphans, err := s.orphans(ctx)
	return append(out, orphans...), err
}

// comparison is a query that should count 0.
type comparison struct {
	name, query, remedy string
	which               string // SQL for the affected ids, appended to the name
	index               bool   // the difference is in an index
}

// comparisons returns the queries of Examine. FTS5 keeps a row per document.
func comparisons() []comparison {
	return []comparison{
		{name: "purge that was interrupted", query: `SELECT count(*) FROM meta WHERE key = '` + erase.Unscrubbed + `'`, remedy: "pictx history vacuum"},
		{name: "texts that nothing refers to", query: `SELECT count(*) FROM (` + erase.Orphans + `)`, remedy: "pictx history vacuum"},
		{
			name: "summaries whose sources are gone", query: `SELECT count(*) FROM (` + summaries.Broken + `)`, remedy: remedyFix,
			which: `SELECT ': ' || group_concat(key, ' ') FROM (SELECT key FROM summaries WHERE id IN (` + summaries.Broken + `) ORDER BY id LIMIT 3)`,
		},
		{name: "documents of an index without a text", query: `SELECT count(*) FROM words_fts_docsize d WHERE NOT EXISTS (SELECT 1 FROM content t WHERE t.id = d.id)`, remedy: remedyFix, index: true},
	}
}
