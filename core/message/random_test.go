package message_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// randomSession writes a session file as pi might have, with everything that
// decides what the model sees: branches, compactions, edits, summaries, old
// versions, broken lines. The same seed gives the same bytes.
func randomSession(seed int64, version, entries int) []byte {
	g := &generator{rng: rand.New(rand.NewSource(seed)), version: version}
	header := fmt.Sprintf(`"id":"s-%d","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/home/dev"`, seed)
	if version > 1 {
		header = fmt.Sprintf(`"version":%d,%s`, version, header)
	}
	g.line(`{"type":"session",` + header + `}`)
	for range entries {
		g.noise()
		g.entry()
	}
	return g.out.Bytes()
}

type generator struct {
	rng     *rand.Rand
	version int
	out     bytes.Buffer
	ids     []string // of the entries so far, header excluded
	targets []string // of them, those worth an edit
	leaf    string
}

func (g *generator) line(s string) {
	g.out.WriteString(s)
	g.out.WriteString(g.pick("\n", "\n", "\n", "\r\n"))
}

func (g *generator) pick(of ...string) string { return of[g.rng.Intn(len(of))] }

// one reports whether a thing that happens once in n times happens now.
func (g *generator) one(n int) bool { return g.rng.Intn(n) == 0 }

// noise writes what is not an entry.
func (g *generator) noise() {
	if g.one(40) {
		g.line(g.pick("", "  ", `{"type":"message","id":`, "not json", `{"type":"message"} {}`))
	}
	if g.one(150) {
		g.line(fmt.Sprintf(`{"type":"session","version":%d,"id":"again","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/"}`, g.version))
	}
}

// entry writes one entry after the leaf, or after an older one.
func (g *generator) entry() {
	switch {
	case len(g.ids) > 0 && g.one(12):
		g.leaf = g.ids[g.rng.Intn(len(g.ids))]
	case g.one(60):
		g.leaf = ""
	case g.one(200):
		g.leaf = "ffffffff"
	}
	id := fmt.Sprintf("%08x", g.rng.Uint32())
	if len(g.ids) > 0 && g.one(300) {
		// Twice the same id: the later entry takes the earlier one's place, and
		// must not become its own ancestor.
		id, g.leaf = g.ids[g.rng.Intn(len(g.ids))], ""
	}
	head := ""
	if g.version > 1 {
		parent := "null"
		if g.leaf != "" {
			parent = `"` + g.leaf + `"`
		}
		head = fmt.Sprintf(`"id":"%s","parentId":%s,`, id, parent)
	}
	typ, body := g.body()
	g.line(fmt.Sprintf(`{"type":"%s",%s"timestamp":%s%s}`, typ, head, g.time(), body))
	g.ids, g.leaf = append(g.ids, id), id
	if typ == "message" || typ == "custom_message" || g.one(10) {
		g.targets = append(g.targets, id)
	}
}

func (g *generator) time() string {
	if g.one(100) {
		return g.pick(`"no time"`, `1795168859593`)
	}
	return fmt.Sprintf(`"2026-03-02T%02d:%02d:%02d.%03dZ"`, g.rng.Intn(24), g.rng.Intn(60), g.rng.Intn(60), g.rng.Intn(1000))
}

// body writes the members that make an entry what it is.
func (g *generator) body() (typ, members string) {
	switch n := g.rng.Intn(100); {
	case n < 70:
		return "message", `,"message":` + g.message()
	case n < 76:
		return "custom_message", g.custom()
	case n < 79:
		return "branch_summary", `,"fromId":` + g.pick(`"root"`, "null") + g.pick(`,"summary":"left"`, `,"summary":""`, `,"summary":null`, "", `,"summary":"x"`)
	case n < 82:
		return "compaction", g.compaction()
	case n < 92 && len(g.targets) > 0:
		return "context_edit", fmt.Sprintf(`,"targetId":"%s","replacement":%s`, g.target(), g.replacement())
	}
	return g.pick("custom", "label", "usage", "model_change", "a_new_type"),
		g.pick(`,"data":{"count":1}`, `,"content":"not in context"`, `,"summary":"neither","message":{"role":"user","content":"x"}`)
}

// target names an entry to edit: mostly a recent one, now and then any.
func (g *generator) target() string {
	if g.one(10) {
		return g.ids[g.rng.Intn(len(g.ids))]
	}
	return g.targets[len(g.targets)-1-g.rng.Intn(min(12, len(g.targets)))]
}

func (g *generator) replacement() string {
	return g.pick("null", `{"content":"shorter"}`, `{"content":[{"type":"text","text":"cut"}]}`, `{"note":1,"content":[]}`)
}

func (g *generator) custom() string {
	return g.pick(`,"customType":"note"`, `,"customType":"\ud83d"`, "") +
		g.pick(`,"content":"text"`, `,"content":[{"type":"text","text":"block"}]`, `,"content":null`, "") +
		g.pick(`,"display":true`, `,"display":false`, "") + g.pick(`,"details":{"a":[1,null]}`, "")
}

func (g *generator) compaction() string {
	kept := `,"firstKeptEntryId":"nowhere"`
	if g.version == 1 {
		kept = fmt.Sprintf(`,"firstKeptEntryIndex":%d`, g.rng.Intn(len(g.ids)+3))
	} else if len(g.ids) > 0 && !g.one(5) {
		kept = fmt.Sprintf(`,"firstKeptEntryId":"%s"`, g.ids[len(g.ids)-1-g.rng.Intn(min(20, len(g.ids)))])
	}
	return kept + g.pick(`,"summary":"so far"`, `,"summary":""`) + fmt.Sprintf(`,"tokensBefore":%d`, g.rng.Intn(100000)) +
		g.pick(`,"systemMessage":{"role":"system","content":"be brief","timestamp":5}`, `,"systemMessage":null`, "", "")
}

func (g *generator) message() string {
	at := fmt.Sprintf(`,"timestamp":%d}`, 1795168859593+g.rng.Int63n(1e6))
	content := g.content()
	switch g.rng.Intn(10) {
	case 0, 1:
		return `{"role":"user"` + content + at
	case 2, 3, 4:
		return `{"role":"assistant"` + content + `,"provider":"local","model":"m","usage":{"input":3,"output":4},"stopReason":"toolUse"` + at
	case 5, 6:
		return `{"role":"toolResult","toolCallId":"c","toolName":"read"` + content + `,"isError":false` + at
	case 7:
		return `{"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0,"cancelled":false,"truncated":false` + g.pick(`,"excludeFromContext":true`, "") + at
	case 8:
		return `{"role":"system"` + content + `,"sections":{"cwd":"/"}` + at
	}
	role := g.pick("custom", "hookMessage", "some_new_role")
	if g.version > 2 && role == "hookMessage" {
		role = "custom"
	}
	return `{"role":"` + role + `","customType":"n"` + content + `,"display":true` + at
}

func (g *generator) content() string {
	return g.pick(
		`,"content":[{"type":"text","text":"hello"}]`,
		`,"content":[{"type":"text","text":"é😀\u0001\udead"},{"type":"image","data":"AAAA","mimeType":"image/png"}]`,
		`,"content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a\"b"}}]`,
		`,"content":"a string"`, `,"content":[]`, `,"content":null`, "")
}

// loaded is a session in memory.
type loaded struct {
	message.Tree
	data []byte
}

// load reads a session as package jsonl does: lines that are not entries are skipped.
func load(data []byte) *loaded {
	s := &loaded{data: data}
	var p message.Parser
	for start := 0; start < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
			end = start + i
		}
		if e, err := p.ParseEntry(data[start:end]); err == nil {
			s.Add(message.Node{Entry: e, Offset: int64(start), Length: end - start})
		}
		start = end + 1
	}
	return s
}

// line returns the bytes of an entry, in a buffer that the next call overwrites.
func (s *loaded) line() func(*message.Node) ([]byte, error) {
	var buf []byte
	return func(n *message.Node) ([]byte, error) {
		for i := range buf {
			buf[i] = '#'
		}
		buf = append(buf[:0], s.data[n.Offset:int(n.Offset)+n.Length]...)
		return buf, nil
	}
}

// entries returns the nodes other than headers, in file order.
func (s *loaded) entries() []*message.Node {
	var out []*message.Node
	for i := range s.Nodes {
		if s.Nodes[i].Type != message.EntrySession {
			out = append(out, &s.Nodes[i])
		}
	}
	return out
}

// texts returns the messages of a context.
func (s *loaded) texts(t testing.TB, items []message.Item) []string {
	t.Helper()
	out := []string{}
	for _, it := range items {
		b := must.Get(it.AppendMessage(nil, s.line()))(t)
		out = append(out, string(b))
	}
	return out
}
