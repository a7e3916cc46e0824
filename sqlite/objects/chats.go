package objects

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/chat"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// inChats finds words in composed chats. What people and the model said is in the index of
// history, by line; the headings between are in none.
type inChats struct {
	lines   []map[int64]bool // by word: lines of chats that have all its words
	heading []bool           // by word: it may be in headings
	bare    map[int64]bool   // lines that are not indexed
	parser  message.Parser
}

// ask looks the words up, unless the query is about other kinds only.
func (c *inChats) ask(ctx context.Context, s *Store, kinds []object.Kind, words []object.Term) error {
	if kinds != nil && !slices.Contains(kinds, object.KindChat) {
		return nil
	}
	var ids []int64
	if err := s.db.SelectContext(ctx, &ids, `SELECT u.content FROM unindexed u WHERE EXISTS (SELECT 1 FROM chat_lines l WHERE l.line = u.content)`); err != nil {
		return err
	}
	c.bare = set(ids)
	var names []string
	if err := s.db.SelectContext(ctx, &names, `SELECT DISTINCT tool FROM messages WHERE role = ?`, string(message.RoleToolResult)); err != nil {
		return err
	}
	tools := history.Words(strings.Join(names, " "))
	for _, t := range words {
		words, prefix := t.Phrase()
		index, match := search.Superset(words, prefix)
		ids = nil
		if err := s.db.SelectContext(ctx, &ids, `SELECT w.rowid FROM `+index+` w
			WHERE `+index+` MATCH ? AND EXISTS (SELECT 1 FROM chat_lines l WHERE l.line = w.rowid)`, match); err != nil {
			return err
		}
		c.lines = append(c.lines, set(ids))
		c.heading = append(c.heading, chat.IsHeading(words, prefix, tools))
	}
	return nil
}

// in reports whether a chat has the i-th word, and whether that is sure.
func (c *inChats) in(ctx context.Context, s *Store, i int, t object.Term, content int64) (has, sure bool, err error) {
	lines, _, err := s.texts.Lines(ctx, s.db, content)
	if errors.Is(err, sqlite.ErrDamaged) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	sure = !c.heading[i]
	for _, id := range lines {
		if sure = sure && !c.bare[id]; !c.lines[i][id] {
			continue
		}
		raw, err := s.texts.Get(ctx, s.db, id)
		if errors.Is(err, sqlite.ErrDamaged) || sqlite.NoRows(err) {
			return false, false, nil
		}
		if err != nil {
			return false, false, err
		}
		if e, err := c.parser.ParseEntry(raw); err == nil && t.Holds(chat.Said(&e, raw)) {
			return true, true, nil
		}
	}
	return false, sure, nil
}
