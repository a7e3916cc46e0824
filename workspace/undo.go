package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/prune"
)

// Undo returns the lines to append to a session's file so that its context is what it would be
// without pictx, and how many messages they change. No thinking is left in front of what changes
// or behind it, so that the session is valid with and without pictx.
func (h *Session) Undo(now time.Time) (lines []byte, messages int, err error) {
	b, err := prune.NewBranch(h.ID, h.Tree, h.Tree.Leaf(), h.Line, nil)
	if err != nil {
		return nil, 0, err
	}
	if len(b.Pruned()) == 0 {
		return nil, 0, nil
	}
	back, err := b.Undo(prune.Model{}, true)
	if err != nil {
		return nil, 0, err
	}
	w := appending{parent: h.Tree.Leaf(), at: now.UTC().Format("2006-01-02T15:04:05.000Z")}
	for _, o := range back {
		w.add(map[string]any{"type": "context_edit", "targetId": o.EntryID, "replacement": map[string]any{"content": jsontext.Value(o.Content)}})
	}
	restored := prune.PinsData{Pins: []prune.Pin{}}
	for _, p := range b.Pruned() {
		restored.Restored = append(restored.Restored, p.EntryID)
	}
	w.add(map[string]any{"type": "custom", "customType": prune.PinsEntry, "data": restored})
	return w.lines, len(back), w.err
}

// appending are entries that continue a branch.
type appending struct {
	parent, at string
	lines      []byte
	err        error
}

// add appends an entry with an id of its own.
func (w *appending) add(entry map[string]any) {
	id := make([]byte, 4)
	_, _ = rand.Read(id) // never fails
	entry["id"], entry["parentId"], entry["timestamp"] = hex.EncodeToString(id), w.parent, w.at
	line, err := json.Marshal(entry, json.Deterministic(true))
	if err != nil {
		w.err = fmt.Errorf("write entry: %w", err)
		return
	}
	w.parent = hex.EncodeToString(id)
	w.lines = append(append(w.lines, line...), '\n')
}

// Append appends lines to the file of the session in one write.
func (h *Session) Append(lines []byte) error {
	f, err := os.OpenFile(h.File, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = f.Write(lines)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
