package lcm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// storedSummary is a row of pi-lcm's summaries.
type storedSummary struct {
	ID        string
	Depth     int
	Text      string
	Tokens    int    `db:"token_estimate"`
	CreatedAt string `db:"created_at"`
}

// storedSource is a source of a summary.
type storedSource struct {
	Type string `db:"source_type"`
	ID   string `db:"source_id"`
}

// TakeSummaries imports the summaries of the session. It returns how many were new, and how
// many were left out because their sources are gone. Imported summaries can be read and
// expanded. They do not replace messages in a context, because it is unknown whether these
// are unchanged. known maps messages to their ids in the store.
func (s *Session) TakeSummaries(ctx context.Context, to *summaries.Store, known *entries.Store) (added, left int, err error) {
	var rows []storedSummary
	err = s.l.db.SelectContext(ctx, &rows, `SELECT id, depth, text, token_estimate, created_at FROM summaries
		WHERE conversation_id = ? ORDER BY depth, created_at, id`, s.row.ID)
	if err != nil {
		return 0, 0, fmt.Errorf("read database of pi-lcm: %w", sqlite.Explain(err))
	}
	r := summaryReader{Session: s, known: known, nodes: make(map[string]*summary.Node)}
	for _, row := range rows {
		n, err := r.node(ctx, row)
		if err != nil {
			return added, left, err
		}
		if n == nil {
			left++
			continue
		}
		r.nodes[row.ID] = n
		isNew, err := to.Import(ctx, n)
		if err != nil {
			return added, left, err
		}
		if isNew {
			added++
		}
	}
	return added, left, nil
}

// summaryReader reads the summaries of a session in order of depth.
type summaryReader struct {
	*Session
	known *entries.Store
	nodes map[string]*summary.Node // summaries read so far, by id in pi-lcm
}

// node converts a summary of pi-lcm, nil when it has no sources.
func (r *summaryReader) node(ctx context.Context, row storedSummary) (*summary.Node, error) {
	var sources []storedSource
	err := r.l.db.SelectContext(ctx, &sources, `SELECT source_type, source_id FROM summary_sources WHERE summary_id = ? ORDER BY seq`, row.ID)
	if err != nil {
		return nil, fmt.Errorf("read database of pi-lcm: %w", sqlite.Explain(err))
	}
	sum := sha256.Sum256([]byte("lcm\n" + row.ID))
	n := &summary.Node{
		Key: summary.KeyPrefix + hex.EncodeToString(sum[:])[:12], Session: r.ID, Depth: row.Depth, Kind: summary.Model,
		Text: row.Text, Tokens: token.Count(row.Tokens), Name: r.l.title(),
	}
	if t, err := time.Parse(time.RFC3339, row.CreatedAt); err == nil {
		n.Created = t.UnixMilli()
	}
	for _, src := range sources {
		if err := r.source(ctx, n, src); err != nil {
			return nil, err
		}
	}
	if len(n.Sources) == 0 {
		return nil, nil
	}
	return n, nil
}

// source adds one source to a summary.
func (r *summaryReader) source(ctx context.Context, n *summary.Node, src storedSource) error {
	first, last, count, begun, ended, id := "", "", 0, int64(0), int64(0), ""
	if src.Type == "summary" {
		below := r.nodes[src.ID]
		if below == nil {
			return nil
		}
		first, last, count, begun, ended, id = below.First, below.Last, below.Entries, below.From, below.To, below.Key
	} else {
		var m storedMessage
		err := r.l.db.GetContext(ctx, &m, `SELECT id, entry_id, content_json, timestamp FROM messages WHERE id = ?`, src.ID)
		if sqlite.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read database of pi-lcm: %w", sqlite.Explain(err))
		}
		if id, err = r.known.IDOf(ctx, r.ID, entryID(m), []byte(m.Content)); err != nil {
			return err
		}
		first, last, count, begun, ended = id, id, 1, m.Timestamp, m.Timestamp
	}
	if len(n.Sources) == 0 {
		n.First, n.From = first, begun
	}
	n.Last, n.To = last, ended
	n.Entries += count
	n.Sources = append(n.Sources, id)
	return nil
}
