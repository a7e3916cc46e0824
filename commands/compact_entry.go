package commands

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
)

// compactionEntry is the line that pi would write.
func compactionEntry(h *historySession, b *summary.Branch, c *summary.Cover, body string, now time.Time) ([]byte, error) {
	leaf := h.tree.Leaf()
	var before token.Count
	for _, it := range h.tree.Context(leaf) {
		before += token.Estimate(it.Head)
	}
	files := b.Files()
	keys := make([]string, len(c.Roots))
	for i, r := range c.Roots {
		keys[i] = r.Key
	}
	sum := sha256.Sum256([]byte(h.id + leaf + body))
	return json.Marshal(struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Parent  string `json:"parentId"`
		Time    string `json:"timestamp"`
		Summary string `json:"summary"`
		Kept    string `json:"firstKeptEntryId"`
		Before  int    `json:"tokensBefore"`
		Details any    `json:"details"`
		Hook    bool   `json:"fromHook"`
	}{
		"compaction", hex.EncodeToString(sum[:4]), leaf, text.KnownTime(now.UnixMilli()), body, keptAfter(h, b), int(before),
		map[string]any{"readFiles": files.Read, "modifiedFiles": files.Modified, "pictx": map[string]any{"summaries": keys}},
		true,
	})
}

// keptAfter is the entry that comes after what a branch covers.
func keptAfter(h *historySession, b *summary.Branch) string {
	last := b.Units[len(b.Units)-1].ID
	path := h.tree.Path(h.tree.Leaf())
	for i, n := range path {
		if n.ID == last && i+1 < len(path) {
			return path[i+1].ID
		}
	}
	return last
}

// expandSummary prints what a summary was made from, byte for byte: its messages,
// or the summaries below it.
func (a *app) expandSummary(ctx context.Context, id string, slice history.Slice) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	n, err := st.Summary(ctx, id)
	if err != nil {
		return err
	}
	sources, err := summary.Sources(ctx, st, n, 1)
	if err != nil {
		return err
	}
	if a.json {
		for _, s := range sources {
			part, left := slice.Of([]byte(s.Text))
			if err := a.out.line(expandedJSON{
				Session: n.Session, Entry: s.ID, Type: "source", Role: s.Label, Text: string(part), TextBytes: len(s.Text), LeftOut: left,
			}); err != nil {
				return err
			}
		}
		return nil
	}
	var b bytes.Buffer
	for _, s := range sources {
		b.WriteString("== " + text.TerminalLine(s.ID+" ("+s.Label) + ")\n" + s.Text)
		if len(s.Text) > 0 && s.Text[len(s.Text)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	return a.printPart(b.Bytes(), slice)
}
