package history_test

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
)

// memory is a store in memory: rows by session and entry id, texts by hash.
type memory struct {
	files    map[string]history.FileState
	rows     []history.Row
	texts    [][]byte
	index    map[string]int // session and entry id → row
	contents map[[32]byte]int64
	ordinals map[string]int // session and ordinal → row

	batches  []history.Batch
	failAt   int // the batch whose storing fails, 0 for none
	fullText bool
	lacks    map[int64]bool // texts that the index lacks
	matches  []string       // the expressions Match was asked
	scans    int
	probes   []history.Probe
}

func newMemory() *memory {
	return &memory{
		files: map[string]history.FileState{}, index: map[string]int{}, contents: map[[32]byte]int64{},
		ordinals: map[string]int{}, lacks: map[int64]bool{},
	}
}

func (m *memory) FileState(_ context.Context, path string) (*history.FileState, error) {
	if st, ok := m.files[path]; ok {
		return &st, nil
	}
	return nil, nil
}

func (m *memory) Encode(b *history.Batch) error { return nil }

var errDisk = errors.New("disk full")

func (m *memory) Append(_ context.Context, b *history.Batch) (int, error) {
	kept := *b
	kept.Records = append([]history.Record(nil), b.Records...)
	m.batches = append(m.batches, kept)
	if len(m.batches) == m.failAt {
		return 0, errDisk
	}
	added := 0
	for _, r := range b.Records {
		if m.put(b, r) {
			added++
		}
	}
	m.files[b.State.Path] = b.State
	return added, nil
}

func (m *memory) put(b *history.Batch, r history.Record) bool {
	session := b.State.Header.ID
	content, known := m.contents[r.Hash]
	if !known {
		content = int64(len(m.texts))
		m.contents[r.Hash] = content
		m.texts = append(m.texts, bytes.Clone(r.Raw))
	}
	at := fmt.Sprintf("%s %d", session, r.Ordinal)
	if i, ok := m.ordinals[at]; ok && b.Adopt && m.rows[i].Time == r.Time && m.rows[i].EntryID != r.EntryID {
		m.rows[i].EntryID, m.rows[i].ParentID, m.rows[i].Content = r.EntryID, r.ParentID, content
		m.index[session+" "+r.EntryID] = i
		return false
	}
	key := session + " " + r.EntryID
	if _, ok := m.index[key]; ok {
		return false
	}
	m.index[key], m.ordinals[at] = len(m.rows), len(m.rows)
	m.rows = append(m.rows, history.Row{
		ID: int64(len(m.rows)), Session: session, EntryID: r.EntryID, ParentID: r.ParentID, Type: r.Type, Role: r.Role,
		Tool: r.Tool, IsError: r.IsError, Time: r.Time, Ordinal: r.Ordinal, Content: content, Copies: 1,
	})
	return true
}

func (m *memory) FullText() bool { return m.fullText }

// Match answers as an index would, by reading: it knows nothing of the texts it
// lacks.
func (m *memory) Match(_ context.Context, x history.Expr, f history.Filter, o history.Order, limit, offset int) (history.Found, error) {
	m.matches = append(m.matches, fmt.Sprint(x))
	var out []history.Row
	for _, r := range m.texted(f) {
		if !m.lacks[r.Content] && history.Holds(x, m.text(r)) {
			out = append(out, r)
		}
	}
	if o == history.Relevance {
		return m.candidates(x, out), nil
	}
	return history.Found{Rows: out[min(offset, len(out)):min(offset+limit, len(out))]}, nil
}

// candidates are the texts that hold any phrase, all of them.
func (m *memory) candidates(x history.Expr, rows []history.Row) history.Found {
	out := history.Found{Having: make([]int, len(x.Phrases)), Of: len(m.texts) - len(m.lacks)}
	for _, r := range rows {
		c := history.Candidate{Text: r.Content, Words: len(history.Words(m.text(r))), Role: r.Role}
		for i, p := range x.Phrases {
			if history.Holds(history.Expr{Phrases: []history.Phrase{p}}, m.text(r)) {
				out.Having[i]++
				c.Held |= 1 << i
			}
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}

// texted returns a row for each text that a filter admits, newest first.
func (m *memory) texted(f history.Filter) []history.Row {
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

func (m *memory) Texts(_ context.Context, f history.Filter) (int, error) {
	return len(m.texted(f)), nil
}

func (m *memory) Scan(_ context.Context, f history.Filter, p history.Probe, look history.Inspector, take history.Collector) (history.Coverage, error) {
	m.scans++
	m.probes = append(m.probes, p)
	var cover history.Coverage
	for _, r := range m.texted(f) {
		if p.Lacking && !m.lacks[r.Content] || p.Texts != nil && !slices.Contains(p.Texts, r.Content) {
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
func (m *memory) each(f history.Filter, fn func(history.Row) bool) {
	rows := append([]history.Row(nil), m.rows...)
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

func (m *memory) text(r history.Row) string {
	var p message.Parser
	e, err := p.ParseEntry(m.texts[r.Content])
	if err != nil {
		return ""
	}
	return history.SearchText(&e, m.texts[r.Content])
}

func (m *memory) Raw(_ context.Context, r history.Row) ([]byte, error) {
	return m.texts[r.Content], nil
}

func (m *memory) Find(_ context.Context, prefix string, sessions []string, limit int) ([]history.Row, error) {
	var out []history.Row
	m.each(history.Filter{Sessions: sessions}, func(r history.Row) bool {
		if strings.HasPrefix(r.EntryID, prefix) && r.Type != message.EntrySession {
			out = append(out, r)
		}
		return len(out) < limit
	})
	return out, nil
}

// add puts entries of one text each into a session, a minute apart; later ones
// are newer.
func (m *memory) add(t *testing.T, session string, texts ...string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q}`+"\n", session)
	for i, text := range texts {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%d","timestamp":"2026-03-02T09:%02d:%02d.000Z","message":{"role":"user","content":%s}}`+"\n",
			session, i, i/60, i%60, message.AppendQuote(nil, text))
	}
	m.ingest(t, writeFile(t, b.String()))
}

func (m *memory) ingest(t *testing.T, f history.File) history.Report {
	t.Helper()
	rep, err := history.Ingest(context.Background(), m, f, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func writeFile(t *testing.T, text string) pi.File {
	t.Helper()
	f := pi.File{Path: filepath.Join(t.TempDir(), "s.jsonl")}
	rewrite(t, f, text)
	return f
}

// rewrite replaces a file by another, as pi does.
func rewrite(t *testing.T, f pi.File, text string) {
	t.Helper()
	if err := os.WriteFile(f.Path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.Path+".new", f.Path); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, f pi.File, text string) {
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

// watched counts what is read of a file, and may change it while it is read.
type watched struct {
	pi.File
	opens, tails int
	onLine       func(n int)
}

func (w *watched) Before(at message.Position) ([]byte, error) {
	w.tails++
	return w.File.Before(at)
}

func (w *watched) Open(from message.Position) (history.Lines, error) {
	w.opens++
	l, err := w.File.Open(from)
	return &watchedLines{Lines: l, w: w}, err
}

type watchedLines struct {
	history.Lines
	w *watched
	n int
}

func (l *watchedLines) Next() (message.Line, error) {
	if l.n++; l.w.onLine != nil {
		l.w.onLine(l.n)
	}
	return l.Lines.Next()
}
