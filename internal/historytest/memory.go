// Package historytest keeps a history in memory, for tests of what is asked of it.
package historytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Memory is a store in memory: rows by session and entry id, texts by hash.
type Memory struct {
	Files    map[string]history.FileState
	Rows     []history.Row
	texts    [][]byte
	index    map[string]int // session and entry id → row
	contents map[[32]byte]int64
	ordinals map[string]int // session and ordinal → row

	Batches     []history.Batch
	FailAt      int // the batch whose storing fails, 0 for none
	HasFullText bool
	Lacks       map[int64]bool // texts that the index lacks
	Matches     []string       // the expressions Match was asked
	Scans       int
	Probes      []history.Probe
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{
		Files: map[string]history.FileState{}, index: map[string]int{}, contents: map[[32]byte]int64{},
		ordinals: map[string]int{}, Lacks: map[int64]bool{},
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
func (m *Memory) Append(_ context.Context, b *history.Batch) (int, error) {
	kept := *b
	kept.Records = append([]history.Record(nil), b.Records...)
	m.Batches = append(m.Batches, kept)
	if len(m.Batches) == m.FailAt {
		return 0, ErrDisk
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

func (m *Memory) put(b *history.Batch, r history.Record) bool {
	session := b.State.Header.ID
	content, known := m.contents[r.Hash]
	if !known {
		content = int64(len(m.texts))
		m.contents[r.Hash] = content
		m.texts = append(m.texts, bytes.Clone(r.Raw))
	}
	at := fmt.Sprintf("%s %d", session, r.Ordinal)
	if i, ok := m.ordinals[at]; ok && b.Adopt && m.Rows[i].Time == r.Time && m.Rows[i].EntryID != r.EntryID {
		m.Rows[i].EntryID, m.Rows[i].ParentID, m.Rows[i].Content = r.EntryID, r.ParentID, content
		m.index[session+" "+r.EntryID] = i
		return false
	}
	key := session + " " + r.EntryID
	if _, ok := m.index[key]; ok {
		return false
	}
	m.index[key], m.ordinals[at] = len(m.Rows), len(m.Rows)
	m.Rows = append(m.Rows, history.Row{
		ID: int64(len(m.Rows)), Session: session, EntryID: r.EntryID, ParentID: r.ParentID, Type: r.Type, Role: r.Role,
		Tool: r.Tool, IsError: r.IsError, Time: r.Time, Ordinal: r.Ordinal, Content: content, Copies: 1,
	})
	return true
}

// FullText implements history.SearchStore.
func (m *Memory) FullText() bool { return m.HasFullText }

// Match answers as an index would, by reading: it knows nothing of the texts it
// lacks.
func (m *Memory) Match(_ context.Context, x history.Expr, f history.Filter, o history.Order, limit int) (history.Found, error) {
	m.Matches = append(m.Matches, fmt.Sprint(x))
	var out []history.Row
	for _, r := range m.texted(f) {
		if !m.Lacks[r.Content] && holds(x, m.Text(r)) {
			out = append(out, r)
		}
	}
	if o == history.Relevance {
		return m.candidates(x, out), nil
	}
	return history.Found{Rows: out[:min(limit, len(out))]}, nil
}

// WordFrom implements spelling.Vocabulary.
func (m *Memory) WordFrom(_ context.Context, from string) (first string, err error) {
	for _, r := range m.Rows {
		for _, w := range history.Words(m.Text(r)) {
			if w = text.FoldLetters(w); w >= from && (first == "" || w < first) {
				first = w
			}
		}
	}
	return first, nil
}

// Known implements spelling.Vocabulary.
func (m *Memory) Known(ctx context.Context, words []string) (known []string, err error) {
	for _, w := range words {
		if first, _ := m.WordFrom(ctx, w); first == w {
			known = append(known, w)
		}
	}
	return known, nil
}

// candidates are the texts that hold any phrase, all of them.
func (m *Memory) candidates(x history.Expr, rows []history.Row) history.Found {
	out := history.Found{Having: make([]int, len(x.Phrases)), Of: len(m.texts) - len(m.Lacks)}
	for _, r := range rows {
		c := history.Candidate{Text: r.Content, Words: len(history.Words(m.Text(r))), Role: r.Role}
		for i, p := range x.Phrases {
			if holds(history.Expr{Phrases: []history.Phrase{p}}, m.Text(r)) {
				out.Having[i]++
				c.Held |= 1 << i
			}
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}

// texted returns a row for each text that a filter admits, newest first.
func (m *Memory) texted(f history.Filter) []history.Row {
	var out []history.Row
	at := map[int64]int{}
	m.each(f, func(r history.Row) bool {
		if i, ok := at[r.Content]; ok {
			out[i].Copies++
			return true
		}
		at[r.Content] = len(out)
		out = append(out, r)
		return true
	})
	sort.SliceStable(out, func(i, j int) bool { return history.Newer(out[i], out[j]) })
	return out
}

// Texts implements history.SearchStore.
func (m *Memory) Texts(_ context.Context, f history.Filter) (int, error) {
	return len(m.texted(f)), nil
}

// Scan implements history.SearchStore.
func (m *Memory) Scan(_ context.Context, f history.Filter, p history.Probe, look history.Inspector, take history.Collector) (history.Coverage, error) {
	m.Scans++
	m.Probes = append(m.Probes, p)
	var cover history.Coverage
	for _, r := range m.texted(f) {
		if p.Lacking && !m.Lacks[r.Content] || p.Texts != nil && !slices.Contains(p.Texts, r.Content) {
			continue
		}
		cover.Read++
		buf := bytes.Clone(m.texts[r.Content])
		seen := look(buf)
		clear(buf) // what is kept of it shows
		if !take(r, seen) {
			break
		}
	}
	return cover, nil
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
	var p message.Parser
	e, err := p.ParseEntry(m.texts[r.Content])
	if err != nil {
		return ""
	}
	return history.SearchText(&e, m.texts[r.Content])
}

// Raw implements history.SearchStore and history.Expander.
func (m *Memory) Raw(_ context.Context, r history.Row, _ []byte) ([]byte, error) {
	return m.texts[r.Content], nil
}

// PromptsBefore implements history.Prompter.
func (m *Memory) PromptsBefore(_ context.Context, rows []history.Row) (map[int64]int64, error) {
	out := make(map[int64]int64)
	for _, r := range rows {
		last := -1
		for _, p := range m.Rows {
			if p.Session == r.Session && p.Role == message.RoleUser && p.Ordinal < r.Ordinal && p.Ordinal > last {
				last = p.Ordinal
				out[r.Content] = p.Content
			}
		}
	}
	return out, nil
}

// Answers implements history.Answerer.
func (m *Memory) Answers(_ context.Context, entry history.Row, f history.Filter) ([]history.Row, error) {
	out := m.followers(entry, f, message.RoleAssistant, message.RoleUser)
	slices.SortFunc(out, func(a, b history.Row) int { return b.Ordinal - a.Ordinal })
	return out, nil
}

// Results implements history.Answerer.
func (m *Memory) Results(_ context.Context, call history.Row, f history.Filter) ([]history.Row, error) {
	out := m.followers(call, f, message.RoleToolResult, message.RoleUser, message.RoleAssistant)
	slices.SortFunc(out, func(a, b history.Row) int { return a.Ordinal - b.Ordinal })
	return out, nil
}

// followers returns the entries of a role that follow an entry in its session, before the
// next of an ending role.
func (m *Memory) followers(after history.Row, f history.Filter, role message.Role, ending ...message.Role) []history.Row {
	next := len(m.Rows) + 1
	var out []history.Row
	m.each(f, func(r history.Row) bool {
		if r.Session == after.Session && r.Ordinal > after.Ordinal {
			if slices.Contains(ending, r.Role) {
				next = min(next, r.Ordinal)
			}
			if r.Role == role {
				out = append(out, r)
			}
		}
		return true
	})
	return slices.DeleteFunc(out, func(r history.Row) bool { return r.Ordinal > next })
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
	for i, text := range texts {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%d","timestamp":"2026-03-02T09:%02d:%02d.000Z","message":{"role":"user","content":%s}}`+"\n",
			session, i, i/60, i%60, message.AppendQuote(nil, text))
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

// holds reports whether a text matches an expression.
func holds(x history.Expr, text string) bool {
	missing := func(n int) bool { return n == 0 }
	counts := x.Counts(text)
	if x.Any {
		return slices.ContainsFunc(counts, func(n int) bool { return n > 0 })
	}
	return !slices.ContainsFunc(counts, missing)
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
