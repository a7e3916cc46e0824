package erase

import (
	"context"
	"encoding/json"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/texts"
)

// evictChats evicts the chats that consist of lines which are about to be deleted: without
// the lines they could not be composed. The caller of a purge has usually done that already,
// but for the chats of forks, which share lines.
func (s *Store) evictChats(ctx context.Context, tx *sqlx.Conn, lines map[int64]bool) error {
	for line := range lines {
		var chats []int64
		err := tx.SelectContext(ctx, &chats, `WITH RECURSIVE affected (chat) AS (
			SELECT chat FROM chat_lines WHERE line = ?
			UNION SELECT t.id FROM affected JOIN content t ON t.base = affected.chat WHERE t.codec = ?)
			SELECT chat FROM affected`, line, texts.Composed)
		if err == nil && len(chats) > 0 {
			err = s.evictComposed(ctx, tx, chats)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// evictComposed deletes composed chats, and evicts them from the versions that have them.
// The hashes stay.
func (s *Store) evictComposed(ctx context.Context, tx *sqlx.Conn, chats []int64) error {
	asked, err := json.Marshal(chats)
	if err != nil {
		return err
	}
	// A version that shares the text of a composed one may have stored its document itself.
	var docs []int64
	if err := tx.SelectContext(ctx, &docs, `SELECT doc FROM object_versions
		WHERE content IN (SELECT value FROM json_each(?)) AND doc IS NOT NULL AND fields IS NULL`, string(asked)); err != nil {
		return err
	}
	const of = ` WHERE content IN (SELECT value FROM json_each(?1)) OR doc IN (SELECT value FROM json_each(?1))`
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{
			`INSERT INTO object_tx (at, actor, reason) SELECT max(?, coalesce(max(at), 0) + 1), ?, ? FROM object_tx`,
			[]any{int64(object.TimeOf(s.db.Now())), string(object.ActorPerson), "a line of it was erased"},
		},
		{`UPDATE objects SET evicted = (SELECT max(id) FROM object_tx) WHERE oid IN (SELECT oid FROM object_versions` + of + `)`, []any{string(asked)}},
		{`UPDATE object_versions SET content = NULL, doc = NULL, evicted = 1, fields = coalesce(fields, '{"type":"` + string(object.KindChat) + `"}')` + of, []any{string(asked)}},
	} {
		if _, err := tx.ExecContext(ctx, step.sql, step.args...); err != nil {
			return err
		}
	}
	if len(docs) > 0 {
		return s.Unused(ctx, tx, append(docs, chats...), true, nil)
	}
	if err := s.texts.Loosen(ctx, tx, set(chats)); err != nil {
		return err
	}
	for _, id := range chats {
		if err := s.eraseObjectText(ctx, tx, id, true, nil); err != nil {
			return err
		}
	}
	return nil
}
