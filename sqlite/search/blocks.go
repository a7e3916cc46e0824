package search

import (
	"context"
	"encoding/binary"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// EraseFromBlocks rewrites the blocks that contained some texts.
func (s *Store) EraseFromBlocks(ctx context.Context, tx *sqlx.Conn, gone map[int64]bool) error {
	if len(gone) == 0 || !s.db.FullText() {
		return nil
	}
	type block struct {
		ID    int64
		Texts []byte
	}
	var blocks []block
	if err := tx.SelectContext(ctx, &blocks, `SELECT id, texts FROM blocks`); err != nil {
		return err
	}
	for _, b := range blocks {
		kept, changed := without(b.Texts, gone)
		if !changed {
			continue
		}
		if err := s.writeBlock(ctx, tx, b.ID, kept); err != nil {
			return err
		}
	}
	return nil
}

// without removes ids from a block's list.
func without(texts []byte, gone map[int64]bool) (kept []int64, changed bool) {
	for len(texts) > 0 {
		id, n := binary.Varint(texts)
		if n <= 0 {
			return kept, true
		}
		texts = texts[n:]
		if gone[id] {
			changed = true
		} else {
			kept = append(kept, id)
		}
	}
	return kept, changed
}

// writeBlock replaces the texts of a block.
func (s *Store) writeBlock(ctx context.Context, tx *sqlx.Conn, block int64, texts []int64) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM grams_fts WHERE rowid = ?`, block); err != nil {
		return err
	}
	if len(texts) == 0 {
		_, err := tx.ExecContext(ctx, `DELETE FROM blocks WHERE id = ?`, block)
		return err
	}
	var grams trigram.Set
	var list []byte
	var p message.Parser
	for _, id := range texts {
		raw, err := s.texts.Get(ctx, tx, id)
		if sqlite.NoRows(err) {
			continue
		}
		if err != nil {
			return err
		}
		list = binary.AppendVarint(list, id)
		if e, err := p.ParseEntry(raw); err == nil {
			grams.Add(history.SearchText(&e, raw))
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE blocks SET texts = ? WHERE id = ?`, list, block); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO grams_fts (rowid, grams) VALUES (?, ?)`, block, gramWords(grams.Grams()))
	return err
}
