// Package historytest keeps a history in memory, for tests of what is asked of it, and in a store,
// for tests of what is found there.
package historytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/store"
)

// Memory is a store in memory: rows by session and entry id, texts by hash. What is searched is a
// database with the same.
type Memory struct {
	*search.Store
	stored *store.Store

	Files    map[string]history.FileState
	Rows     []history.Row
	texts    [][]byte
	index    map[string]int // session and entry id → row
	contents map[[32]byte]int64

	Batches []history.Batch
	FailAt  int // the batch whose storing fails, 0 for none
}

// NewMemory returns an empty store.
func NewMemory(tb testing.TB) *Memory {
	tb.Helper()
	st, err := store.Open(context.Background(), filepath.Join(tb.TempDir(), "memory.db"), sqlite.Write, time.Now)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return &Memory{
		Store: st.Search, stored: st,
		Files: map[string]history.FileState{}, index: map[string]int{}, contents: map[[32]byte]int64{},
	}
}

// FileState implements history.Store.
func (m *Memory) FileState(_ context.Context, path string) (*history.FileState, error) {
	if st, ok := m.Files[path]; ok {
		return &st, nil
	}
	return nil, nil
}

// Encode implements history.Store.
func (m *Memory) Encode(b *history.Batch) error { return nil }

// ErrDisk is why storing fails at FailAt.
var ErrDisk = errors.New("disk full")

// Append implements history.Store.
func (m *Memory) Append(ctx context.Context, b *history.Batch) (int, error) {
	kept := *b
	kept.Records = append([]history.Record(nil), b.Records...)
	m.Batches = append(m.Batches, kept)
	if len(m.Batches) == m.FailAt {
		return 0, ErrDisk
	}
	if err := m.keep(ctx, *b); err != nil {
		return 0, err
	}
	added := 0
	for _, r := range b.Records {
		if m.put(b, r) {
			added++
		}
	}
	m.Files[b.State.Path] = b.State
	return added, nil
}

// keep stores a batch in the database, too, whatever that knows of the file.
func (m *Memory) keep(ctx context.Context, b history.Batch) error {
	known, err := m.stored.Entries.FileState(ctx, b.State.Path)
	if err != nil {
		return err
	}
	if known != nil {
		b.Known = *known
	}
	if err := m.stored.Entries.Encode(&b); err != nil {
		return err
	}
	_, err = m.stored.Entries.Append(ctx, &b)
	return err
}

func (m *Memory) put(b *history.Batch, r history.Record) bool {
	session := b.State.Header.ID
	content, known := m.contents[r.Hash]
	if !known {
		content = int64(len(m.texts))
		m.contents[r.Hash] = content
		m.texts = append(m.texts, bytes.Clone(r.Raw))
	}
	key := session + " " + r.EntryID
	if _, ok := m.index[key]; ok {
		return false
	}
	m.index[key] = len(m.Rows)
	m.Rows = append(m.Rows, history.Row{
		ID: int64(len(m.Rows)), Session: session, EntryID: r.EntryID, ParentID: r.ParentID, Type: r.Type, Role: r.Role,
		Tool: r.Tool, IsError: r.IsError, Time: r.Time, Ordinal: r.Ordinal, Content: content, Copies: 1,
	})
	return true
}

// each calls fn with the rows that a filter admits, newest first.
func (m *Memory) each(f history.Filter, fn func(history.Row) bool) {
	rows := append([]history.Row(nil), m.Rows...)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].Time > rows[j].Time })
	for _, r := range rows {
		in := func(list []string, s string) bool {
			return len(list) == 0 || strings.Contains(strings.Join(list, " "), s)
		}
		if f.Before != 0 && r.Time >= f.Before {
			continue
		}
		if in(f.Sessions, r.Session) && in(f.Roles, string(r.Role)) && !fn(r) {
			return
		}
	}
}

// Text is what is searched of a row.
func (m *Memory) Text(r history.Row) string {
	raw := m.texts[m.Rows[m.index[r.Session+" "+r.EntryID]].Content]
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return ""
	}
	return history.SearchText(&e, raw)
}

// Raw implements history.Expander.
func (m *Memory) Raw(_ context.Context, r history.Row, _ []byte) ([]byte, error) {
	return m.texts[r.Content], nil
}

// Find implements history.Expander.
func (m *Memory) Find(_ context.Context, prefix string, sessions []string, limit int) ([]history.Row, error) {
	var out []history.Row
	m.each(history.Filter{Sessions: sessions}, func(r history.Row) bool {
		if strings.HasPrefix(r.EntryID, prefix) && r.Type != message.EntrySession {
			out = append(out, r)
		}
		return len(out) < limit
	})
	return out, nil
}

// Add puts entries of one text each into a session, a minute apart; later ones
// are newer.
func (m *Memory) Add(t *testing.T, session string, texts ...string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q}`+"\n", session)
	parent := "null"
	for i, text := range texts {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%d","parentId":%s,"timestamp":"2026-03-02T09:%02d:%02d.000Z","message":{"role":"user","content":%s}}`+"\n",
			session, i, parent, i/60, i%60, message.AppendQuote(nil, text))
		parent = fmt.Sprintf("%q", fmt.Sprint(session, i))
	}
	m.Ingest(t, WriteFile(t, b.String()))
}

// Ingest stores a session file.
func (m *Memory) Ingest(t *testing.T, f history.File) history.Report {
	t.Helper()
	rep, err := history.Ingest(context.Background(), m, f, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// WriteFile writes a session file that lasts as long as the test.
func WriteFile(t *testing.T, text string) pi.File {
	t.Helper()
	f := pi.File{Path: filepath.Join(t.TempDir(), "s.jsonl")}
	Rewrite(t, f, text)
	return f
}

// Rewrite replaces a file by another, as pi does.
func Rewrite(t *testing.T, f pi.File, text string) {
	t.Helper()
	if err := os.WriteFile(f.Path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.Path+".new", f.Path); err != nil {
		t.Fatal(err)
	}
}

// AppendTo adds to a file, as pi does.
func AppendTo(t *testing.T, f pi.File, text string) {
	t.Helper()
	out, err := os.OpenFile(f.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := out.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// Said is a line of a session file: an entry with a role and text, and perhaps
// more content blocks after it.
func Said(id, role, text, blocks string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":%q,"content":[{"type":"text","text":%s}%s]}}`+"\n",
		id, role, message.AppendQuote(nil, text), blocks)
}

// Returned is a line with the result of a tool.
func Returned(id, tool, text string) string {
	return strings.Replace(Said(id, "toolResult", text, ""), `"content"`, fmt.Sprintf(`"toolName":%q,"content"`, tool), 1)
}

// Session stores a session of some lines.
func (m *Memory) Session(t *testing.T, id string, lines ...string) {
	t.Helper()
	m.Ingest(t, WriteFile(t, fmt.Sprintf(`{"type":"session","version":3,"id":%q}`+"\n", id)+strings.Join(lines, "")))
}

// Entry is a line of a session file with a parent.
func Entry(id, parent, role, rest string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":%q,%s}}`+"\n", id, parent, role, rest)
}

// Runs is a response that runs a command.
func Runs(id, parent, callID, command string) string {
	return Entry(id, parent, "assistant", fmt.Sprintf(`"content":[{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":%s}}]`, callID, message.AppendQuote(nil, command)))
}

// Printed is the output of a command.
func Printed(id, parent, callID, text string) string {
	return Entry(id, parent, "toolResult", fmt.Sprintf(`"toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":%s}]`, callID, message.AppendQuote(nil, text)))
}
