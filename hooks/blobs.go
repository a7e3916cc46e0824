package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Blobs keeps the full text of results that are too long for a session, and deletes
// what is no longer needed.
type Blobs struct {
	// Cache returns the cache of the settings.
	Cache func(*config.Config) *blob.Store
	// Named returns a function that reports whether an existing session refers to a
	// blob; it is called for old blobs only.
	Named func(context.Context, *blob.Store) func(id string) bool
	// TempDir is where the agent leaves the whole of outputs that it cut for the
	// session, "" when it leaves none.
	TempDir string
}

// gcEvery is the minimum time between two collections of the cache.
const gcEvery = time.Hour

// Name implements System.
func (Blobs) Name() string { return "blobs" }

// Declare implements System.
func (s Blobs) Declare(c *config.Config, h *Hello) {
	if !c.Blobs.Enabled {
		return
	}
	h.Want(EventSessionStart, EventTurnEnd)
	if len(c.Blobs.Tools) > 0 { // else each result would be sent here for nothing
		h.Want(EventToolResult)
	}
}

// Handle implements System.
func (s Blobs) Handle(_ context.Context, c *Call) error {
	all := &c.Project.Config().Config
	set := all.Blobs
	if !set.Enabled || !c.Is(EventToolResult) {
		return nil
	}
	var p ToolResult
	if err := c.Read(&p); err != nil {
		return err
	}
	if !cuts(set.Tools, p.ToolName) {
		return nil
	}
	content, details, err := cut(s.Cache(all), p.Content, int(set.Budget), c.Session.File)
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

// cuts reports whether the results of a tool may be cut.
func cuts(patterns []string, tool string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := doublestar.Match(p, tool)
		return ok && err == nil
	})
}

// errSurrogate is why a text is not cut: the cache would not hold what the agent
// has.
var errSurrogate = errors.New("the text holds half a character, which no file can")

// cut replaces the texts of a result by an excerpt, followed by the other blocks as
// they are. When it returns no details, nothing is to be changed.
func cut(cache *blob.Store, content jsontext.Value, budget int, session string) (jsontext.Value, *blob.Details, error) {
	blocks, err := readBlocks(content)
	if err != nil {
		return nil, nil, err
	}
	var texts []string
	var rest []jsontext.Value
	for _, b := range blocks {
		if b.text == nil {
			rest = append(rest, b.raw)
			continue
		}
		text, err := jsontext.AppendUnquote(nil, b.text)
		if err != nil {
			return nil, nil, errSurrogate
		}
		texts = append(texts, string(text))
	}
	short, details, err := cache.Excerpt(strings.Join(texts, "\n"), budget, session)
	if err != nil || details == nil {
		return nil, nil, err
	}
	out := append(message.AppendQuote([]byte(`[{"type":"text","text":`), short), '}')
	for _, raw := range rest {
		out = append(append(out, ','), raw...)
	}
	return append(out, ']'), details, nil
}

// block is a block of a result's content; text is nil in a block that is not text.
type block struct{ raw, text jsontext.Value }

// readBlocks reads the blocks of a content, a string being one.
func readBlocks(content jsontext.Value) ([]block, error) {
	if content.Kind() == jsontext.KindString {
		return []block{{raw: content, text: content}}, nil
	}
	var list []jsontext.Value
	if err := Decode(content, &list); err != nil {
		return nil, fmt.Errorf("read content of result: %w", err)
	}
	out := make([]block, len(list))
	for i, raw := range list {
		out[i].raw = raw
		var b struct {
			Type string         `json:"type"`
			Text jsontext.Value `json:"text"`
		}
		if raw.Kind() == jsontext.KindBeginObject && Decode(raw, &b) == nil && b.Type == "text" && b.Text.Kind() == jsontext.KindString {
			out[i].text = b.Text
		}
	}
	return out, nil
}

// After implements Worker: it collects the cache at the start of a session, and keeps
// the outputs that were cut in a turn.
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

// BlobLimits are the limits of the settings, without Keep.
func BlobLimits(c config.Blobs) blob.Limits {
	const day = 24 * time.Hour
	age := time.Duration(min(c.MaxAgeDays, 100_000)) * day // longer does not fit
	return blob.Limits{MaxAge: age, MaxBytes: int64(c.MaxBytes)}
}

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
			Tool: recall.ExpandTool, Problem: text.LogLine(err.Error()), Hint: "It cannot be restored: run the tool again.",
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

// minCut is the minimum length of an output that the agent may have cut, in
// characters: it cuts at 2,000 lines, or at more characters.
const minCut = 2000

// keepOutputs keeps the outputs of the last turn, and of what the user ran before
// it, of which the session has only a part. The agent leaves them in files that do
// not last. It does not wait for this, and no event is requested that would not be
// sent anyway.
func (s Blobs) keepOutputs(ctx context.Context, c *Call, cache *blob.Store) error {
	if s.TempDir == "" {
		return nil
	}
	lines, err := lastOutputs(ctx, c)
	if err != nil {
		return err
	}
	return cache.KeepOutputs(lines, s.TempDir, c.Session.File)
}

// lastOutputs returns the entries of the last turn that may hold a part of an
// output.
func lastOutputs(ctx context.Context, c *Call) ([][]byte, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Project.Close()
	var out [][]byte
	answers := 0
	path := sess.Entries().Path(c.Session.LeafID)
	for i := len(path) - 1; i >= 0 && answers < 2; i-- {
		n := path[i]
		switch h := &n.Message; {
		case h.Role == message.RoleAssistant:
			answers++
		case h.Role == message.RoleBashExecution, h.Role == message.RoleToolResult && h.Content.Chars >= minCut:
			line, err := sess.Line(n)
			if err != nil {
				return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
			}
			out = append(out, append([]byte(nil), line...))
		}
	}
	return out, nil
}
