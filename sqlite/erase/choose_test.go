package erase_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// expressions have runs that every match has, runs that only labels have, and no runs; some
// match what JSON escapes, and what equals a letter when case is ignored.
func expressions() []string {
	return []string{
		`secret`, `secret\d+`, `SECRET|token`, `(secret|kelvin)-\d`, `kel+vin`, `\bsecret\b`, `[ks]ecret`, `s[ae]cret`, `secret"`, `"secret`,
		`caf.-token`, `café`, `^token`, `tok(?-i:EN)`, `(?s)token.*secret`, `a{3}b`, `\[tool: read`, `tool`, `image\]`, `ool`, `\[bash\] token`, `\$ token`,
		`[!-/]{3}`, `token\\`, `\\u0073`, `ſecret`, `absent9`, `(absent9)?secret`, `(absent9|)token`, `read`, `toolCall`, `\x{212a}elvin`,
	}
}

// randomText joins words and signs.
func randomText(r *rand.Rand) string {
	words := []string{
		"secret", "Secret", "SECRET42", "\u017fecret", "kelvin", "\u212aelvin-7", "KELLVIN", "token", "toKEN", "café-token", "cafe\u0301", "sacret", "aaab",
		"tool", "image]", "😀", "\x01", "\"", "\\", "\n", "\t", "/", "<&>", " ", " ", " ", "-", "\\u0073ecret", "!!!", "plain", "\xff", "漢字",
	}
	var b strings.Builder
	for range r.IntN(7) {
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

// randomLiteral is a JSON string, with random characters escaped by number.
func randomLiteral(r *rand.Rand) string {
	quoted := string(message.AppendQuote(nil, randomText(r)))
	if r.IntN(4) > 0 {
		return quoted
	}
	var b strings.Builder
	for i, c := range []byte(quoted) {
		if c >= 'a' && c <= 'z' && i > 0 && quoted[i-1] != '\\' && !strings.Contains(quoted, `\u`) && r.IntN(3) == 0 {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// randomBody is an entry without its id.
func randomBody(r *rand.Rand) string {
	text := func() string { return randomLiteral(r) }
	switch r.IntN(9) {
	case 0:
		return `"type":"message","message":{"role":"user","content":` + text() + `}`
	case 1:
		return `"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":` + text() + `},{"type":"text","text":` + text() +
			`},{"type":"image","data":"aa"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":` + text() + `,` + text() + `:[1,` + text() + `]}}]}`
	case 2:
		return `"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":` + text() + `},{"type":"text","text":` + text() + `}]}`
	case 3:
		return `"type":"message","message":{"role":"bashExecution","command":` + text() + `,"output":` + text() + `}`
	case 4:
		return `"type":"session_info","name":` + text()
	case 5:
		return `"type":"label","targetId":"x","label":` + text()
	case 6:
		return `"type":"compaction","summary":` + text() + `,"details":{"files":[` + text() + `]}`
	case 7:
		return `"type":"unknown","data":{` + text() + `:` + text() + `}`
	}
	return `"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":` +
		string(message.AppendQuote(nil, strings.Repeat("a long output ", 8)+randomText(r))) + `}]}`
}

// randomStore has sessions with random entries, of which some are in both, some objects
// with the text of an entry, and some with other texts.
func randomStore(t *testing.T, r *rand.Rand) *store.Store {
	t.Helper()
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	var shared []string
	for s := range 2 {
		lines := []string{fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/secret"}`, s)}
		for i := range 60 {
			line := fmt.Sprintf(`{"id":"e%d-%d","timestamp":"2026-03-02T09:00:%02d.000Z",%s}`, s, i, i, randomBody(r))
			if s == 1 && i < 20 {
				line = shared[i+1]
			}
			lines = append(lines, line)
		}
		shared = lines
		file := filepath.Join(t.TempDir(), fmt.Sprintf("s%d.jsonl", s))
		must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		storetest.Ingest(t, st, file)
	}
	randomObjects(t, st, r)
	return st
}

func randomObjects(t *testing.T, st *store.Store, r *rand.Rand) {
	t.Helper()
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{}))(t)
	var ops []object.Op
	var p message.Parser
	var ids [][2]string
	c.Each(func(session, entry string) { ids = append(ids, [2]string{session, entry}) })
	err := st.Eraser.Lines(t.Context(), c, func(line []byte) {
		id := ids[0]
		ids = ids[1:]
		e, err := p.ParseEntry(line)
		if err != nil || e.Message.Role != message.RoleToolResult {
			return
		}
		doc := &object.Document{Kind: object.KindToolcall, Content: e.AppendBody(nil, line), Toolcall: &object.Toolcall{Tool: "read", Status: object.StatusOK}}
		ops = append(ops, object.Op{Do: object.Put, Key: object.ToolcallKey(id[0], id[1], "c"), Doc: doc})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		ops = append(ops, object.Op{Do: object.Put, Key: object.FileKey("/w", fmt.Sprintf("%d", i)), Doc: storetest.FileDoc(fmt.Sprintf("%d", i), strings.ToValidUTF8(randomText(r), ""))})
	}
	storetest.Submit(t, st.Objects, ops...)
}

// examining is an expression of which nothing is known, so that everything is examined.
type examining struct{ *regexp.Regexp }

// What need not be examined is left out of a choice of entries and objects, and nothing else.
func TestAChoiceIsTheSameAsWhenEveryTextIsExamined(t *testing.T) {
	st := randomStore(t, rand.New(rand.NewPCG(0, 30)))
	every := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{}))(t)
	for i, expr := range expressions() { // each is looked for in all texts of the store
		re := must.Get(history.CompileRegex(expr, i%2 == 0))(t)
		want, wantObjects := chosenBy(t, st, examining{re})
		got, gotObjects := chosenBy(t, st, re)
		if oracle := matching(t, st, every, re); !slices.Equal(want, oracle) || !slices.Equal(got, oracle) {
			t.Errorf("%s: chosen %v, examining all %v, want %v", re, got, want, oracle)
		}
		must.Match(t, gotObjects, wantObjects, "%s: objects", re)
	}
}

// chosenBy returns the entries and the objects that a Finder chooses.
func chosenBy(t *testing.T, st *store.Store, find history.Finder) (entries, objects []string) {
	t.Helper()
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Match: find}))(t)
	c.Each(func(session, entry string) { entries = append(entries, session+" "+entry) })
	objects = must.Get(st.Objects.Of(t.Context(), c, find))(t)
	return entries, objects
}

// matching returns the entries with a line that would be masked or a text that matches, by
// examining one line after another.
func matching(t *testing.T, st *store.Store, every *erase.Chosen, find history.Finder) (entries []string) {
	t.Helper()
	var ids []string
	every.Each(func(session, entry string) { ids = append(ids, session+" "+entry) })
	err := st.Eraser.Lines(t.Context(), every, func(line []byte) {
		var p message.Parser
		_, n := history.Redact(line, find)
		if e, err := p.ParseEntry(line); err == nil && (n > 0 || history.Finds(find, history.SearchText(&e, line))) {
			entries = append(entries, ids[0])
		}
		ids = ids[1:]
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
