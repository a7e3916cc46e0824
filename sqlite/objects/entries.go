package objects

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
)

// lines returns the ids of the lines of history that a version of a call or a chat consists of, in
// order: that of the result, or those of the messages. It returns object.ErrPurged for none.
func (s *Store) lines(ctx context.Context, v *object.Version) (out []int64, err error) {
	if v.Doc.Chat != nil {
		out, err = s.chatLines(ctx, v)
	} else {
		err = s.db.SelectContext(ctx, &out, `SELECT content FROM messages
			WHERE entry_id = ? AND conversation = (SELECT id FROM conversations WHERE session_id = ?) ORDER BY id DESC LIMIT 1`, v.Key.Part(1), v.Key.Session())
	}
	if err == nil && len(out) == 0 {
		err = object.ErrPurged
	}
	return out, err
}

// composed returns the text of a version of a call or a chat, as the history has it now.
func (s *Store) composed(ctx context.Context, v *object.Version) ([]byte, error) {
	lines, err := s.lines(ctx, v)
	if err != nil {
		return nil, err
	}
	chat := object.NewChatText(v.Key.Session())
	for _, id := range lines {
		raw, err := s.db.Text(ctx, s.db, id)
		if err == nil && v.Doc.Kind == object.KindToolcall {
			return result(raw)
		}
		if err == nil {
			err = chat.AddLine(raw)
		}
		if err != nil {
			return nil, err
		}
	}
	return chat.Text(), nil
}

// result returns what the tool returned whose result is in a line.
func result(raw []byte) ([]byte, error) {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return nil, err
	}
	return e.AppendBody([]byte{}, raw), nil
}

// chatLines returns the ids of the lines of the messages that a version of a chat consists
// of, in order. In the place of a parent that history lacks, because it was purged, comes
// the entry before it in the file.
func (s *Store) chatLines(ctx context.Context, v *object.Version) ([]int64, error) {
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
