package hooks

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// WithBlobs returns an Expander that also finds blobs, by ids that no entry has.
func WithBlobs(st history.Expander, cache *blob.Store) history.Expander {
	return &blobExpander{Expander: st, cache: cache}
}

// blobExpander is an Expander for one call.
type blobExpander struct {
	history.Expander
	cache *blob.Store
	found *blob.Blob
}

// cachedTool stands for the tool that returned a text, which the cache does not know.
const cachedTool = "kept"

// Find implements history.Expander. Blobs belong to no session: they are found only
// when the search is not limited to sessions, as a caller's second search is.
func (x *blobExpander) Find(ctx context.Context, prefix string, sessions []string, limit int) ([]history.Row, error) {
	rows, err := x.Expander.Find(ctx, prefix, sessions, limit)
	if err != nil || len(rows) > 0 || len(sessions) > 0 || !blob.ValidID(prefix) {
		return rows, err
	}
	x.found, err = x.cache.Get(prefix)
	var many *blob.AmbiguousError
	switch {
	case errors.As(err, &many):
		return rowsOf(many.IDs), nil
	case err == nil:
		row := rowsOf([]string{x.found.ID[:max(len(prefix), blob.Short)]})[0]
		row.Time = x.found.Used.UnixMilli()
		return []history.Row{row}, nil
	case errors.As(err, new(*blob.GoneError)), errors.As(err, new(*blob.DamagedError)):
		return nil, &recall.BadCallError{
			Tool: recall.ExpandTool, Problem: text.LogLine(err.Error()), Hint: "It cannot be brought back: call the tool again that gave it.",
		}
	case errors.Is(err, blob.ErrNotFound):
		return nil, nil
	}
	return nil, err
}

// rowsOf returns rows for blobs, each with a text of its own.
func rowsOf(ids []string) []history.Row {
	rows := make([]history.Row, len(ids))
	for i, id := range ids {
		rows[i].EntryID, rows[i].Content = id, int64(-1-i)
		rows[i].Type, rows[i].Role, rows[i].Tool = message.EntryMessage, message.RoleToolResult, cachedTool
	}
	return rows
}

// Raw implements history.Expander: a blob as an entry would hold it.
func (x *blobExpander) Raw(ctx context.Context, r history.Row) ([]byte, error) {
	if r.Content >= 0 || x.found == nil {
		return x.Expander.Raw(ctx, r)
	}
	line := fmt.Appendf(nil, `{"type":"message","id":%q,"message":{"role":"toolResult","toolName":%q,"content":`, r.EntryID, cachedTool)
	return append(message.AppendQuote(line, string(x.found.Text)), "}}"...), nil
}
