package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

// Blobs stores the full text of tool results that are too long for a session, and deletes
// stored texts that are no longer needed.
type Blobs struct {
	// Cache returns the blob cache that the settings name.
	Cache func(*config.Config) *blob.Store
	// Named returns a function that reports whether an existing session refers to a
	// blob; it is called for old blobs only.
	Named func(context.Context, *blob.Store) func(id string) bool
	// TempDir is where the agent saves the full text of outputs that it truncated for the
	// session, "" when it saves none.
	TempDir string
}

// gcEvery is the minimum time between two garbage collections of the cache.
const gcEvery = time.Hour

// Name implements System.
func (Blobs) Name() string { return "blobs" }

// Declare implements System.
func (s Blobs) Declare(c *config.Config, h *Hello) {
	if !c.Blobs.Enabled {
		return
	}
	h.Want(EventSessionStart, EventTurnEnd)
	if len(c.Blobs.Tools) > 0 { // otherwise every result would be sent here for nothing
		h.Want(EventToolResult)
	}
}

// Handle implements System.
func (s Blobs) Handle(ctx context.Context, c *Call) error {
	all := &c.Project.Config().Config
	set := all.Blobs
	if !set.Enabled || !c.Is(EventToolResult) {
		return nil
	}
	var p ToolResult
	if err := c.Read(&p); err != nil {
		return err
	}
	if !tool.MatchName(set.Tools, p.ToolName) {
		return nil
	}
	content, details, err := cut(ctx, s.Cache(all), p.Content, mostOutput, c.Session.File)
	if err != nil {
		c.Note("left a result whole")
		return err
	}
	if details != nil {
		c.Result().Content, c.Result().Details = content, details
		c.Note(fmt.Sprintf("kept %d bytes, %d of them in the session", details.OriginalBytes, details.ExcerptBytes))
	}
	return nil
}

// mostOutput is how many bytes of a long output stay in the session.
const mostOutput = 5000

// errSurrogate is returned for a text with a lone surrogate. Such a text is left whole: the
// cache stores UTF-8 and could not return it unchanged.
var errSurrogate = errors.New("the text holds half a character, which no file can")

// cut replaces the text blocks of a result by one excerpt, followed by the other blocks
// unchanged. A content that is a string counts as one text block. It returns nil details when the
// result is short enough to stay as it is.
func cut(ctx context.Context, cache *blob.Store, content jsontext.Value, budget int, session string) (jsontext.Value, *blob.Details, error) {
	if content.Kind() == jsontext.KindString {
		content = fmt.Appendf(nil, `[{"type":"text","text":%s}]`, content)
	}
	var blocks, rest []jsontext.Value
	if err := Decode(content, &blocks); err != nil {
		return nil, nil, fmt.Errorf("read content of result: %w", err)
	}
	var texts []string
	for _, raw := range blocks {
		var b struct {
			Type string         `json:"type"`
			Text jsontext.Value `json:"text"`
		}
		if raw.Kind() != jsontext.KindBeginObject || Decode(raw, &b) != nil || b.Type != "text" || b.Text.Kind() != jsontext.KindString {
			rest = append(rest, raw)
			continue
		}
		text, err := jsontext.AppendUnquote(nil, b.Text)
		if err != nil {
			return nil, nil, errSurrogate
		}
		texts = append(texts, string(text))
	}
	short, details, err := cache.Excerpt(ctx, strings.Join(texts, "\n"), budget, session)
	if err != nil || details == nil {
		return nil, nil, err
	}
	out := append(message.AppendQuote([]byte(`[{"type":"text","text":`), short), '}')
	for _, raw := range rest {
		out = append(append(out, ','), raw...)
	}
	return append(out, ']'), details, nil
}

// After implements Worker. It collects garbage in the cache when a session starts, and
// stores the outputs that the agent truncated in a turn.
func (s Blobs) After(ctx context.Context, c *Call, _ func(...Effect)) error {
	set := &c.Project.Config().Config
	if !set.Blobs.Enabled {
		return nil
	}
	cache := s.Cache(set)
	if c.Is(EventTurnEnd) {
		return s.keepOutputs(ctx, c, cache)
	}
	if c.Nested || !c.Is(EventSessionStart) || !cache.Due(gcEvery) {
		return nil
	}
	limits := BlobLimits(set.Blobs)
	limits.Keep = s.Named(ctx, cache)
	_, err := cache.GC(ctx, limits)
	return err
}

// BlobLimits returns the limits of the settings. The caller sets Keep.
func BlobLimits(c config.Blobs) blob.Limits {
	const day = 24 * time.Hour
	age := time.Duration(min(c.MaxAgeDays, 100_000)) * day // more would overflow a Duration
	return blob.Limits{MaxAge: age, MaxBytes: c.MaxBytes}
}

// WithBlobs returns an Expander that also finds blobs. Blob ids never collide with entry
// ids.
func WithBlobs(st history.Expander, cache *blob.Store) history.Expander {
	return &blobExpander{Expander: st, cache: cache}
}

// blobExpander is an Expander for a single call: Raw returns the blob that Find found last.
type blobExpander struct {
	history.Expander
	cache *blob.Store
	found *blob.Blob
}

// cachedTool is the tool name shown for a blob. The cache does not record which tool
// returned a text.
const cachedTool = "kept"

// Find implements history.Expander. Blobs belong to no session, so they are searched only
// when the call names none. A caller that first searches its own session searches again
// without one.
func (x *blobExpander) Find(ctx context.Context, prefix string, sessions []string, limit int) ([]history.Row, error) {
	rows, err := x.Expander.Find(ctx, prefix, sessions, limit)
	if err != nil || len(rows) > 0 || len(sessions) > 0 || !blob.ValidID(prefix) {
		return rows, err
	}
	x.found, err = x.cache.Get(prefix)
	var many *blob.AmbiguousError
	gone := errors.Is(err, blob.ErrNotFound)
	switch {
	case err == nil:
		rows := rowsOf(x.found.ID[:max(len(prefix), blob.Short)])
		rows[0].Time = x.found.Used.UnixMilli()
		return rows, nil
	case errors.As(err, &many):
		return rowsOf(many.IDs...), nil
	case gone && len(prefix) < blob.Short && !errors.As(err, new(*blob.DamagedError)):
		return nil, nil
	case gone:
		return nil, &recall.BadCallError{
			Tool: recall.ExpandTool, Problem: text.LogLine(err.Error()), Hint: "It cannot be restored: run the tool again.",
		}
	}
	return nil, err
}

// rowsOf returns a row per blob. Content ids are negative, so that they differ from each
// other and from those of entries.
func rowsOf(ids ...string) []history.Row {
	rows := make([]history.Row, len(ids))
	for i, id := range ids {
		rows[i].EntryID, rows[i].Content = id, int64(-1-i)
		rows[i].Type, rows[i].Role, rows[i].Tool = message.EntryMessage, message.RoleToolResult, cachedTool
	}
	return rows
}

// Raw implements history.Expander. It writes a blob as the entry of a tool result.
func (x *blobExpander) Raw(ctx context.Context, r history.Row, room []byte) ([]byte, error) {
	if r.Content >= 0 || x.found == nil {
		return x.Expander.Raw(ctx, r, room)
	}
	line := fmt.Appendf(nil, `{"type":"message","id":%q,"message":{"role":"toolResult","toolName":%q,"content":`, r.EntryID, cachedTool)
	return append(message.AppendQuote(line, string(x.found.Text)), "}}"...), nil
}

// minCut is the minimum length, in characters, of an output that the agent may have
// truncated. pi truncates at 2,000 lines, or at a number of characters above 2,000.
const minCut = 2000

// keepOutputs stores the full text of outputs that the session holds only in part: those of
// the last turn, and of commands that the user ran before it. pi saves them in temporary
// files that do not last. The agent does not wait for this, and it needs no events beyond
// those sent anyway.
func (s Blobs) keepOutputs(ctx context.Context, c *Call, cache *blob.Store) error {
	if s.TempDir == "" {
		return nil
	}
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	defer c.Project.Close()
	var lines [][]byte
	responses := 0
	for _, n := range slices.Backward(sess.Entries().Path(c.Session.LeafID)) {
		switch h := &n.Message; {
		case h.Role == message.RoleAssistant:
			responses++
		case h.Role == message.RoleBashExecution, h.Role == message.RoleToolResult && h.Content.Chars >= minCut:
			line, err := sess.Line(n)
			if err != nil {
				return fmt.Errorf("read entry %s: %w", n.ID, err)
			}
			lines = append(lines, slices.Clone(line))
		}
		if responses == 2 {
			break
		}
	}
	return cache.KeepOutputs(ctx, lines, s.TempDir, c.Session.File)
}
