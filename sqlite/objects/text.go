package objects

import (
	"crypto/sha256"
	"errors"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/texts"
)

var errEmptyInterval = errors.New("it ends before it begins")

// text stores a text, as a difference to the last one that the object had in a column
// if that is shorter, and returns its id: nil for one that must not be stored.
func (w *writer) text(o *row, column string, raw []byte, at object.Time) (*int64, error) {
	hash := sha256.Sum256(raw)
	if w.purge {
		var gone bool
		if _, err := w.one([]any{&gone}, `SELECT EXISTS (SELECT 1 FROM purged WHERE hash = ?)`, hash[:]); err != nil || gone {
			return nil, err
		}
	}
	var id int64
	known, err := w.one([]any{&id}, `SELECT id FROM content WHERE hash = ?`, hash[:])
	if err != nil || known {
		return &id, err
	}
	base, err := w.lastText(o, column)
	if err != nil {
		return nil, err
	}
	kind, data, on, err := w.store.texts.PackAfter(w.ctx, w, hash, raw, base)
	if err != nil {
		return nil, err
	}
	for id = texts.ID(int64(at)/1000, hash); ; {
		n, err := w.exec(`INSERT INTO content (id, hash, codec, base, size, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			id, hash[:], kind, on, len(raw), data)
		if err != nil || n > 0 {
			return &id, err
		}
		if id, err = texts.FreeID(w.ctx, w.Conn, id); err != nil {
			return nil, err
		}
	}
}
