package objects

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// resultLine returns the id of the line with the result of a call, 0 when history lacks it.
func (s *Store) resultLine(ctx context.Context, call object.Key) (int64, error) {
	var line int64
	err := s.db.GetContext(ctx, &line, `SELECT content FROM messages
		WHERE entry_id = ? AND conversation = (SELECT id FROM conversations WHERE session_id = ?) ORDER BY id DESC LIMIT 1`, call.Part(1), call.Session())
	if sqlite.NoRows(err) {
		return 0, nil
	}
	return line, err
}

// result returns what a call returned, as the history has it now.
func (s *Store) result(ctx context.Context, call object.Key) ([]byte, error) {
	line, err := s.resultLine(ctx, call)
	if err == nil && line == 0 {
		err = object.ErrPurged
	}
	if err != nil {
		return nil, err
	}
	raw, err := s.db.Text(ctx, s.db, line)
	if err != nil {
		return nil, err
	}
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return nil, err
	}
	return e.AppendBody([]byte{}, raw), nil
}

// conversation composes the text of a version of a chat.
func (s *Store) conversation(ctx context.Context, v *object.Version) ([]byte, error) {
	lines, err := s.chatLines(ctx, v)
	if err == nil && len(lines) == 0 {
		err = object.ErrPurged
	}
	if err != nil {
		return nil, err
	}
	b := object.NewChatText(v.Key.Session())
	for _, id := range lines {
		raw, err := s.db.Text(ctx, s.db, id)
		if err == nil {
			err = b.AddLine(raw)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Text(), nil
}

// chatLines returns the ids of the lines of the messages that a version of a chat consists
// of, in order. In the place of a parent that history lacks, because it was purged, comes
// the entry before it in the file.
func (s *Store) chatLines(ctx context.Context, v *object.Version) ([]int64, error) {
	if v.Doc.Chat == nil {
		return nil, nil
	}
	var all []struct {
		ID, Parent string
		Content    int64
		Type       string
	}
	if err := s.db.SelectContext(ctx, &all, `SELECT entry_id AS id, parent_id AS parent, content, type FROM messages
		WHERE conversation = (SELECT id FROM conversations WHERE session_id = ?) ORDER BY ordinal`, v.Key.Session()); err != nil {
		return nil, err
	}
	at := make(map[string]int, len(all))
	for i := range all {
		at[all[i].ID] = i
	}
	var out []int64
	for i, ok := at[v.Doc.Chat.Leaf]; ok && i >= 0; {
		e := &all[i]
		if e.Type == string(message.EntryMessage) {
			out = append(out, e.Content)
		}
		next := i - 1
		if parent, known := at[e.Parent]; known {
			next = parent
		}
		if e.Parent == "" || next >= i { // a damaged file may have circles
			break
		}
		i = next
	}
	slices.Reverse(out)
	return out, nil
}
