package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// lcmSummary is a row of pi-lcm's summaries, with what it was made from.
type lcmSummary struct {
	ID        string
	Depth     int
	Text      string
	Tokens    int    `db:"token_estimate"`
	CreatedAt string `db:"created_at"`
}

// lcmSource is a source of a summary.
type lcmSource struct {
	Type string `db:"source_type"`
	ID   string `db:"source_id"`
}

// TakeSummaries stores the summaries of a session of pi-lcm, and returns how many
// were new. One whose sources are gone is left out and counted. They can be read and
// expanded; they do not stand for messages in a context, because nothing tells
// whether the messages are still those they were made from.
func (s *Store) TakeSummaries(ctx context.Context, from *LCMSession) (added, left int, err error) {
	var rows []lcmSummary
	err = from.l.db.SelectContext(ctx, &rows, `SELECT id, depth, text, token_estimate, created_at FROM summaries
		WHERE conversation_id = ? ORDER BY depth, created_at, id`, from.row.ID)
	if err != nil {
		return 0, 0, fmt.Errorf("read database of pi-lcm: %w", explain(err))
	}
	nodes := make(map[string]*summary.Node)
	for _, r := range rows {
		n, err := s.lcmNode(ctx, from, r, nodes)
		if err != nil {
			return added, left, err
		}
		if n == nil {
			left++
			continue
		}
		nodes[r.ID] = n
		isNew, err := s.takeSummary(ctx, n)
		if err != nil {
			return added, left, err
		}
		if isNew {
			added++
		}
	}
	return added, left, nil
}

// lcmNode makes a summary of ours of one of pi-lcm's, nil when it has no sources.
func (s *Store) lcmNode(ctx context.Context, from *LCMSession, r lcmSummary, nodes map[string]*summary.Node) (*summary.Node, error) {
	var sources []lcmSource
	err := from.l.db.SelectContext(ctx, &sources, `SELECT source_type, source_id FROM summary_sources WHERE summary_id = ? ORDER BY seq`, r.ID)
	if err != nil {
		return nil, fmt.Errorf("read database of pi-lcm: %w", explain(err))
	}
	sum := sha256.Sum256([]byte("lcm\n" + r.ID))
	n := &summary.Node{
		Key: summary.KeyPrefix + hex.EncodeToString(sum[:])[:12], Session: from.ID, Depth: r.Depth, Kind: summary.Model,
		Text: r.Text, Tokens: token.Count(r.Tokens), Name: from.l.lcmTitle(),
	}
	if t, err := time.Parse(time.RFC3339, r.CreatedAt); err == nil {
		n.Created = t.UnixMilli()
	}
	for _, src := range sources {
		if err := s.lcmSource(ctx, from, n, src, nodes); err != nil {
			return nil, err
		}
	}
	if len(n.Sources) == 0 {
		return nil, nil
	}
	return n, nil
}

// lcmSource adds one source to a summary.
func (s *Store) lcmSource(ctx context.Context, from *LCMSession, n *summary.Node, src lcmSource, nodes map[string]*summary.Node) error {
	first, last, entries, begun, ended, id := "", "", 0, int64(0), int64(0), ""
	if src.Type == "summary" {
		below := nodes[src.ID]
		if below == nil {
			return nil
		}
		first, last, entries, begun, ended, id = below.First, below.Last, below.Entries, below.From, below.To, below.Key
	} else {
		var m lcmMessage
		err := from.l.db.GetContext(ctx, &m, `SELECT id, entry_id, content_json, timestamp FROM messages WHERE id = ?`, src.ID)
		if none(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read database of pi-lcm: %w", explain(err))
		}
		if id, err = s.entryOf(ctx, from.ID, m); err != nil {
			return err
		}
		first, last, entries, begun, ended = id, id, 1, m.Timestamp, m.Timestamp
	}
	if len(n.Sources) == 0 {
		n.First, n.From = first, begun
	}
	n.Last, n.To = last, ended
	n.Entries += entries
	n.Sources = append(n.Sources, id)
	return nil
}

// entryOf is the id that a message of pi-lcm has in the store: that of the entry in
// the session's file when there is one.
func (s *Store) entryOf(ctx context.Context, session string, m lcmMessage) (string, error) {
	id := lcmEntryID(m)
	var found string
	err := s.db.GetContext(ctx, &found, `SELECT m.entry_id FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE c.session_id = ? AND (m.entry_id = ? OR m.alias = ?) LIMIT 1`, session, id, id)
	if err == nil || !none(err) {
		return found, explain(err)
	}
	bodies, err := s.bodies(ctx, session, "")
	if err != nil {
		return "", err
	}
	if rows := bodies[sha256.Sum256([]byte(m.Content))]; len(rows) > 0 {
		err = s.db.GetContext(ctx, &id, `SELECT entry_id FROM messages WHERE id = ?`, rows[0])
	}
	return id, explain(err)
}

// takeSummary stores a summary unless it is there.
func (s *Store) takeSummary(ctx context.Context, n *summary.Node) (isNew bool, err error) {
	err = s.tx(ctx, func(tx *sqlx.Conn) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO summaries (key, session_id, depth, kind, hash, first_entry, last_entry,
			entries, started, ended, text, tokens, input_tokens, model, prompt, created)
			VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?) ON CONFLICT DO NOTHING`,
			n.Key, n.Session, n.Depth, string(n.Kind), n.First, n.Last, n.Entries, n.From, n.To, n.Text, int(n.Tokens), n.Name, n.Created)
		if err != nil {
			return err
		}
		if rows, err := res.RowsAffected(); err != nil || rows == 0 {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		isNew = true
		for i, src := range n.Sources {
			if _, err := tx.ExecContext(ctx, `INSERT INTO summary_sources (summary, ord, source) VALUES (?, ?, ?)`, id, i, src); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, errors.Join(fmt.Errorf("store summary %s", n.Key), err)
	}
	return isNew, nil
}
