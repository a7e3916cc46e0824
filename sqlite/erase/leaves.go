package erase

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/summary"
)

// leaf is a summary made directly from entries.
type leaf struct {
	ID      int64
	Session string `db:"session_id"`
	Hash    string
}

// leavesOf lists the leaves of a text whose sources have not changed since they were made.
func leavesOf(ctx context.Context, tx *sqlx.Conn, content int64) ([]leaf, error) {
	var all, out []leaf
	err := tx.SelectContext(ctx, &all, `SELECT s.id, s.session_id, s.hash FROM summaries s WHERE s.depth = 0 AND s.hash <> '' AND s.id IN (
		SELECT x.summary FROM summary_sources x JOIN messages m ON m.entry_id = x.source WHERE m.content = ?)`, content)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		hash, err := l.now(ctx, tx)
		if err != nil {
			return nil, err
		}
		if hash == l.Hash {
			out = append(out, l)
		}
	}
	return out, nil
}

// follow sets the hashes of leaves to their present sources. A redaction masks entries and
// summaries alike, so the summaries are still current.
func follow(ctx context.Context, tx *sqlx.Conn, leaves []leaf) error {
	for _, l := range leaves {
		hash, err := l.now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE summaries SET hash = ? WHERE id = ?`, hash, l.ID); err != nil {
			return err
		}
	}
	return nil
}

// now returns the hash of the leaf's sources as stored, using the latest text of each.
func (l leaf) now(ctx context.Context, tx *sqlx.Conn) (string, error) {
	var lines []struct {
		Source string
		Hash   []byte
	}
	err := tx.SelectContext(ctx, &lines, `SELECT x.source, (SELECT t.hash FROM messages m
		JOIN conversations c ON c.id = m.conversation JOIN content t ON t.id = m.content
		WHERE m.entry_id = x.source ORDER BY c.session_id = ? DESC, m.id DESC LIMIT 1) AS hash
		FROM summary_sources x WHERE x.summary = ? ORDER BY x.ord`, l.Session, l.ID)
	if err != nil {
		return "", err
	}
	return summary.HashOf(func(yield func(string, []byte) bool) {
		for _, s := range lines {
			if !yield(s.Source, s.Hash) {
				return
			}
		}
	}), nil
}
