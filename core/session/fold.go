package session

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// fold is an extract by pictx in place of the beginning of a context. Plain pi would have gone on
// with all of it.
type fold struct {
	plain []int32 // the messages that plain pi sends in its place
}

// folded returns the fold with which a context begins, nil for none. Where plain pi stands is taken
// from the request before.
func (l *loader) folded(items []message.Item) (*fold, error) {
	if len(items) < 2 || items[0].Node.Type != message.EntryCompaction {
		return nil, nil
	}
	if f, known := l.folds[items[0].Node]; known {
		return f, nil
	}
	raw, err := l.line(items[0].Node)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", items[0].Node.ID, err)
	}
	l.folds[items[0].Node] = nil
	if !isFold(raw) {
		return nil, nil
	}
	for i, m := range l.plain {
		if l.Messages[m].Item.Node == items[1].Node {
			l.folds[items[0].Node] = &fold{append([]int32(nil), l.plain[:i]...)}
			break
		}
	}
	return l.folds[items[0].Node], nil
}

// isFold reports whether the entry of a compaction says that it is a fold.
func isFold(entry []byte) bool {
	var p message.Parser
	at := entry
	for _, name := range [...]string{"details", "pictx", "fold"} {
		s, err := p.Member(at, name)
		if err != nil {
			return false
		}
		at = s.Of(at)
	}
	return string(at) == "true"
}
