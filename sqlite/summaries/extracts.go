package summaries

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/sqlite"
)

// ExtractStats counts the summaries of a store, and those that a model has yet to write.
type ExtractStats struct {
	Summaries int
	// Extracts is the number of extracts that were not replaced, in how many Sessions.
	// Latest is the session of the newest of them.
	Extracts, Sessions int
	Latest             string
}

// Extracts counts the summaries of all sessions. An extract is replaced when a model
// summarized the same source, or when a source of it is replaced. An extract below a
// model's summary need not be replaced: readers see the latter.
func (s *Store) Extracts(ctx context.Context) (ExtractStats, error) {
	var out ExtractStats
	err := s.db.QueryRowxContext(ctx, `
		WITH RECURSIVE gone (key) AS (
		  SELECT e.key FROM summaries e JOIN summaries m ON m.hash = e.hash AND m.depth = e.depth
		  WHERE e.kind = 'extract' AND m.kind <> 'extract' AND e.hash <> ''
		  UNION SELECT up.key FROM gone JOIN summary_sources x ON x.source = gone.key
		  JOIN summaries up ON up.id = x.summary AND up.depth > 0),
		below (key) AS (
		  SELECT x.source FROM summaries m JOIN summary_sources x ON x.summary = m.id WHERE m.kind <> 'extract' AND m.depth > 0
		  UNION SELECT x.source FROM below JOIN summaries e ON e.key = below.key AND e.depth > 0
		  JOIN summary_sources x ON x.summary = e.id),
		open AS (SELECT id, session_id FROM summaries
		  WHERE kind = 'extract' AND key NOT IN (SELECT key FROM gone) AND key NOT IN (SELECT key FROM below))
		SELECT (SELECT count(*) FROM summaries), count(*), count(DISTINCT session_id),
		  coalesce((SELECT session_id FROM open ORDER BY id DESC LIMIT 1), '') FROM open`).
		Scan(&out.Summaries, &out.Extracts, &out.Sessions, &out.Latest)
	if err != nil {
		return out, fmt.Errorf("count summaries: %w", sqlite.Explain(err))
	}
	return out, nil
}
