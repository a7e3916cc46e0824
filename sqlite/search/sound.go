package search

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/history"
)

// A damaged page of the file may merely lack rows, which a join then passes over without an
// error. These queries find what a sound store cannot have; they are asked before anything is
// said not to be there.
const (
	// lostSessions finds files and sessions by which a session cannot be found.
	lostSessions = `SELECT 1 FROM files f WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = f.conversation)
		UNION ALL SELECT 1 FROM conversations c NOT INDEXED
		WHERE NOT EXISTS (SELECT 1 FROM conversations d WHERE d.session_id = c.session_id AND +d.id = c.id)`
	// lostEntries finds entries among the newest that the index of texts or their session lacks:
	// to ask it about all of them takes longer than a search.
	lostEntries = `SELECT 1 FROM (SELECT id, content FROM messages NOT INDEXED ORDER BY id DESC LIMIT 256) m WHERE NOT EXISTS (
		SELECT 1 FROM messages x INDEXED BY messages_content CROSS JOIN conversations c ON c.id = x.conversation
		WHERE x.content = m.content AND x.id = m.id)`
	// lostEntry finds an entry that the index of ids lacks.
	lostEntry = `SELECT 1 FROM messages m NOT INDEXED WHERE m.entry_id >= ?1 AND m.entry_id < ?2
		AND NOT EXISTS (SELECT 1 FROM messages x INDEXED BY sqlite_autoindex_messages_1 WHERE x.entry_id = m.entry_id AND +x.id = m.id)`
	// lostText finds an entry, which has no text.
	lostText = `SELECT 1 FROM messages WHERE id = ?`
)

// refute returns an error that is sqlite.ErrDamaged when a query finds something.
func (s *Store) refute(ctx context.Context, what, query string, args ...any) error {
	if err := s.db.Refute(ctx, what, query, args...); err != nil {
		return fmt.Errorf("search history: %w", err)
	}
	return nil
}

// sound returns an error when sessions or entries are missing.
func (s *Store) sound(ctx context.Context) error {
	if err := s.refute(ctx, "sessions are missing", lostSessions); err != nil {
		return err
	}
	return s.refute(ctx, "entries are missing", lostEntries)
}

// hasNone returns an error when an entry is missing whose id has a prefix.
func (s *Store) hasNone(ctx context.Context, prefix string) error {
	if err := s.sound(ctx); err != nil {
		return err
	}
	return s.refute(ctx, "entries are missing", lostEntry, prefix, prefix+"\U0010ffff")
}

// wasErased returns an error when the text of an entry is missing that is still there.
func (s *Store) wasErased(ctx context.Context, r history.Row) error {
	return s.refute(ctx, "the text of entry "+r.EntryID+" is missing", lostText, r.ID)
}
