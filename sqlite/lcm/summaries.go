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

// storedSummary is a row of pi-lcm's summaries, with what it was made from.
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

// TakeSummaries stores the summaries of the session, and returns how many were new. One whose
// sources are gone is left out and counted. They can be read and expanded; they do not
// stand for messages in a context, because it is not known whether the messages are
// still those they were made from. known is asked for the ids that the store has of messages.
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

// summaryReader reads the summaries of a session, those with a small depth first.
type summaryReader struct {
	*Session
	known *entries.Store
	nodes map[string]*summary.Node // that were read, by their ids in pi-lcm
}

// node makes a summary of ours of one of pi-lcm's, nil when it has no sources.
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
