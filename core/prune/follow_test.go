package prune_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// growing is a session that an agent writes entry by entry, with the edits that it is sent.
type growing struct {
	tree  message.Tree
	raw   map[string][]byte
	moved map[string]string // where entries go whose parent an edit came after
	edits int
	marks marks
}

func (g *growing) Entries() *message.Tree { return &g.tree }

func (g *growing) Line(n *message.Node) ([]byte, error) { return g.raw[n.ID], nil }

// add adds a line, and returns the entry that the session then stands at.
func (g *growing) add(t testing.TB, line []byte) *message.Node {
	t.Helper()
	var p message.Parser
	e, err := p.ParseEntry(line)
	if err != nil {
		t.Fatal(err)
	}
	n := message.Node{Entry: e, Length: len(line), Line: len(g.tree.Nodes) + 1}
	if to, ok := g.moved[n.ParentID]; ok {
		n.ParentID = to
	}
	g.tree.Add(n)
	got := &g.tree.Nodes[len(g.tree.Nodes)-1]
	g.raw[got.ID] = line
	return got
}

// tell adds the edits of a decision behind an entry.
func (g *growing) tell(t testing.TB, at string, d *prune.Decision) {
	t.Helper()
	last := at
	for i := range d.Tell {
		g.edits++
		id := fmt.Sprintf("edit%d", g.edits)
		g.add(t, fmt.Appendf(nil, `{"type":"context_edit","id":%q,"parentId":%q,"timestamp":"2026-03-02T09:00:00.000Z","targetId":%q,"replacement":{"content":%s}}`,
			id, last, d.Tell[i].EntryID, d.Tell[i].Content()))
		last = id
	}
	if last != at {
		g.moved[at] = last
	}
}

// carry adds the entry by which an agent without context edits keeps what is new.
func (g *growing) carry(t testing.TB, at string, d *prune.Decision) {
	t.Helper()
	if d.New == 0 {
		return
	}
	var marks []string
	for _, m := range d.Tell[len(d.Tell)-d.New:] {
		marks = append(marks, fmt.Sprintf(`{"id":%q,"marker":%s}`, m.EntryID, message.AppendQuote(nil, m.Marker)))
	}
	g.edits++
	id := fmt.Sprintf("marks%d", g.edits)
	g.add(t, fmt.Appendf(nil, `{"type":"custom","customType":%q,"id":%q,"parentId":%q,"timestamp":"2026-03-02T09:00:00.000Z","data":{"marks":[%s]}}`,
		prune.MarksEntry, id, at, strings.Join(marks, ",")))
	g.moved[at] = id
}

// followed compares decisions that a memory helps with with those made from scratch, at
// every entry of a session.
type followed struct {
	growing
	memory *prune.Memory
	model  prune.Model
	policy *policy.Planner
	lose   int // every so many replies are lost
	made   int
	lists  bool  // the agent has no context edits: it lists what it is about to send
	alone  bool  // nothing is compared
	looked []int // messages that were looked at, by decision
}

func newFollowed(prices token.Prices) *followed {
	return &followed{
		growing: growing{raw: make(map[string][]byte), moved: make(map[string]string)},
		memory:  prune.NewMemory(), policy: policy.NewAuto(defaultAuto()), model: prune.Model{Prices: prices, KnownPrices: true, Window: 200_000},
	}
}

// decide decides at an entry, twice. A prompt comes at its own time.
func (f *followed) decide(t testing.TB, at *message.Node, now int64, prompt bool) {
	t.Helper()
	from := prune.Ports{Session: func(context.Context) (prune.Session, error) { return f, nil }, Marks: &f.marks}
	m := prune.Moment{
		Session: "s", Leaf: at.ID, Now: now, Model: f.model, Prompt: prompt,
		Declared: func([]*message.Node) []bill.Declared { return []bill.Declared{{Since: 1, Tools: 250}} },
	}
	if f.lists {
		for _, it := range message.WithoutSystem(message.ContextOf(f.tree.Path(at.ID))) {
			m.Keys = append(m.Keys, prune.Key{Role: it.Head.Role, Timestamp: it.Head.Timestamp, ToolCallID: it.Head.ToolCallID})
		}
	}
	if f.made%5 == 4 && m.Keys != nil { // it adds what the session does not have
		m.Keys = slices.Insert(m.Keys, len(m.Keys)/2, prune.Key{Role: message.RoleCustom, Timestamp: 1})
	}
	choice := prune.Choice{Planner: f.policy}
	m.Dry = true
	var want prune.Decision
	if !f.alone {
		var err error
		if want, err = prune.Decide(context.Background(), from, m, choice); err != nil {
			t.Fatal(err)
		}
	}
	m.Dry, from.Memory = false, f.memory
	got, err := prune.Decide(context.Background(), from, m, choice)
	if err != nil {
		t.Fatal(err)
	}
	if !f.alone {
		compare(t, &want, &got)
	}
	f.looked = append(f.looked, f.memory.Visited("s"))
	if f.made++; f.lose == 0 || f.made%f.lose != 0 {
		if f.lists {
			f.carry(t, at.ID, &got)
		} else {
			f.tell(t, at.ID, &got)
		}
	}
}

// compare compares two decisions, of which the second does not name what it keeps.
func compare(t testing.TB, want, got *prune.Decision) {
	t.Helper()
	if d := cmp.Diff(want.Plan, got.Plan, cmpopts.IgnoreFields(policy.Plan{}, "Kept", "ScannedTokens")); d != "" {
		t.Fatalf("at %s (-from scratch +followed):\n%s", got.Branch.Leaf, d)
	}
	if d := cmp.Diff(want.At, got.At); want.At != nil && d != "" {
		t.Fatalf("at %s messages are elsewhere (-from scratch +followed):\n%s", got.Branch.Leaf, d)
	}
	if d := cmp.Diff(want.Branch.Untold, got.Branch.Untold); d != "" {
		t.Fatalf("at %s others are told (-from scratch +followed):\n%s", got.Branch.Leaf, d)
	}
	if w, g := want.Branch.LeftOut(), got.Branch.LeftOut(); w != g {
		t.Fatalf("at %s: %v tokens are left out, followed %v", got.Branch.Leaf, w, g)
	}
}

// run goes through lines, and decides where an agent asks: when a turn ends, and before a
// prompt.
func (f *followed) run(t testing.TB, lines [][]byte) {
	t.Helper()
	for i, line := range lines {
		at := f.add(t, line)
		if at.Type != message.EntryMessage {
			continue
		}
		var next message.Role
		then := at.Time + 1000
		if i+1 < len(lines) {
			var p message.Parser
			if e, err := p.ParseEntry(lines[i+1]); err == nil {
				next, then = e.Message.Role, max(then, e.Time)
			}
		}
		switch at.Message.Role {
		case message.RoleToolResult:
			if next != message.RoleToolResult {
				f.decide(t, at, at.Time+1000, false)
			}
		case message.RoleUser:
			if f.lists {
				f.decide(t, at, at.Time+1000, false)
			}
		case message.RoleAssistant:
			if len(at.Message.Calls) == 0 && !f.lists {
				f.decide(t, at, at.Time+1000, false)
				f.decide(t, f.tree.Lookup(f.tree.Leaf()), then, true)
			}
		}
	}
}

func fiveMinutes() token.Prices {
	return token.Prices{Name: "5m", Read: 0.1, Write: 1.25, TTL: 5 * time.Minute}
}

// linesOf are the lines of a session's file.
func linesOf(t testing.TB, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

// TestDecidingTurnByTurnDecidesAsFromScratch goes through the recorded sessions, and those
// of the directory that SESSIONS names.
func TestDecidingTurnByTurnDecidesAsFromScratch(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no sessions", err)
	}
	if dir := os.Getenv("SESSIONS"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		files = append(files, more...)
	}
	for _, file := range files {
		for name, planner := range map[string]*policy.Planner{
			"auto": policy.NewAuto(defaultAuto()), "kota": policy.NewKota(defaultKota()),
			"seed":   policy.NewSeed(policy.SeedSettings{Minimum: 500, Protect: 500, ProtectedTurns: 1}),
			"window": policy.NewAuto(policy.AutoSettings{Window: policy.SeedWindow()}),
		} {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				for _, lists := range []bool{false, true} {
					f := newFollowed(fiveMinutes())
					f.lose, f.policy, f.lists = 5, planner, lists
					f.run(t, linesOf(t, file))
					if f.made == 0 {
						t.Error("nothing was decided")
					}
				}
			})
		}
	}
}

// writer writes a session with all that may happen to one.
type writer struct {
	r     *rand.Rand
	lines [][]byte
	ids   []string
	last  string
	at    time.Time
	calls int
	size  int  // about what a request has, in tokens
	names bool // the user names files
}

func newWriter(seed uint64) *writer {
	w := &writer{r: rand.New(rand.NewPCG(seed, 1)), at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.lines = append(w.lines, []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}`))
	return w
}

// entry adds an entry after the last.
func (w *writer) entry(format string, args ...any) string {
	id := fmt.Sprintf("e%06d", len(w.lines))
	parent := "null"
	if w.last != "" {
		parent = `"` + w.last + `"`
	}
	w.lines = append(w.lines, fmt.Appendf(nil, `{"id":%q,"parentId":%s,"timestamp":%q,%s}`, id, parent, w.at.Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...)))
	w.ids, w.last = append(w.ids, id), id
	w.at = w.at.Add(time.Duration(1+w.r.IntN(20)) * time.Second)
	return id
}

func (w *writer) message(format string, args ...any) string {
	return w.entry(`"type":"message","message":{"timestamp":%d,%s}`, w.at.UnixMilli(), fmt.Sprintf(format, args...))
}

// step adds an answer with a call and its result.
func (w *writer) step() {
	w.calls++
	file := fmt.Sprintf("src/f%d.go", w.r.IntN(12))
	text := strings.Repeat("some line of text\\n", 5+w.r.IntN(500))
	name, args := "read", fmt.Sprintf(`{"path":%q,"offset":%d}`, file, 1+w.r.IntN(3)*100)
	switch w.r.IntN(6) {
	case 0:
		name, args = "bash", `{"command":"go test ./..."}`
	case 1:
		name, args = "edit", fmt.Sprintf(`{"path":%q,"oldText":"%s","newText":"x"}`, file, text)
		text = "done"
	case 2:
		name, args = "lcm_expand", fmt.Sprintf(`{"id":%q}`, w.ids[w.r.IntN(len(w.ids))])
	}
	thinking := ""
	if w.r.IntN(2) == 0 {
		thinking = fmt.Sprintf(`{"type":"thinking","thinking":"%s"},`, strings.Repeat("hm, ", 20+w.r.IntN(100)))
	}
	stop := []string{"toolUse", "toolUse", "toolUse", "toolUse", "aborted"}[w.r.IntN(5)]
	w.message(`"role":"assistant","content":[%s{"type":"toolCall","id":"c%d","name":%q,"arguments":%s}],"provider":"p","model":"m","stopReason":%q,"usage":{"input":%d,"output":9,"cacheRead":%d,"cacheWrite":0}`,
		thinking, w.calls, name, args, stop, 50+w.r.IntN(90), 5000+w.size)
	w.size += (len(thinking) + len(args) + len(text)) / 4
	w.message(`"role":"toolResult","toolCallId":"c%d","toolName":%q,"content":[{"type":"text","text":"%s"}],"isError":%v`, w.calls, name, text, w.r.IntN(9) == 0)
}

// turn adds a user's turn.
func (w *writer) turn(steps int) {
	on := ""
	if w.names {
		on = fmt.Sprintf(" with f%d.go.", w.calls%24)
	}
	w.message(`"role":"user","content":"go on%s"`, on)
	for range steps {
		w.step()
	}
	w.message(`"role":"assistant","content":[{"type":"text","text":"done"}],"provider":"p","model":"m","stopReason":"stop","usage":{"input":9,"output":9,"cacheRead":%d,"cacheWrite":0}`, 5000+w.size)
}

// TestDecidingTurnByTurnDecidesAsFromScratchWhateverHappens switches branches, compacts,
// waits, edits what others edit, and loses replies.
func TestDecidingTurnByTurnDecidesAsFromScratchWhateverHappens(t *testing.T) {
	t.Parallel()
	decideWhateverHappens(t, 8, func(f *followed, seed uint64) { f.lose = int(seed % 3 * 4) })
}

// TestContextsAreDecidedOneByOneAsFromScratchWhateverHappens does the same for an agent
// that lists its messages before each request, and brings back what was pruned.
func TestContextsAreDecidedOneByOneAsFromScratchWhateverHappens(t *testing.T) {
	t.Parallel()
	decideWhateverHappens(t, 9, func(f *followed, seed uint64) { f.lists, f.lose = true, int(seed%3*4) })
}

// decideWhateverHappens goes through random sessions in which one of kinds may happen after
// each turn.
func decideWhateverHappens(t *testing.T, kinds int, set func(f *followed, seed uint64)) {
	t.Helper()
	pruned := 0
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWriter(seed)
			w.names = seed%2 == 0
			for range 24 {
				w.turn(1 + w.r.IntN(6))
				w.happen(w.r.IntN(kinds))
			}
			f := newFollowed(fiveMinutes())
			set(f, seed)
			f.run(t, w.lines)
			pruned += len(f.marks.kept)
		})
	}
	if pruned < 30 {
		t.Errorf("only %d results were pruned: that says little", pruned)
	}
}

// happen adds what may happen between turns.
func (w *writer) happen(kind int) {
	switch some := func() string { return w.ids[w.r.IntN(len(w.ids))] }; kind {
	case 0:
		w.entry(`"type":"compaction","summary":"so far","firstKeptEntryId":%q,"tokensBefore":9`, w.ids[len(w.ids)-4])
	case 1:
		w.last = some()
	case 2, 6, 7:
		w.at = w.at.Add(10 * time.Minute)
	case 3:
		w.entry(`"type":"context_edit","targetId":%q,"replacement":{"content":"short"}`, some())
	case 4:
		w.entry(`"type":"context_edit","targetId":%q,"replacement":null`, some())
	case 5:
		w.entry(`"type":"custom","customType":"pictx.pins","data":{"pins":[{"target":%q,"time":1}]}`, some())
	case 8:
		w.entry(`"type":"custom","customType":"pictx.pins","data":{"restored":[%q,%q,%q]}`, some(), some(), some())
	}
}

// TestATurnReadsOnlyNewMessages counts messages instead of measuring time.
func TestATurnReadsOnlyNewMessages(t *testing.T) {
	t.Parallel()
	for _, lists := range []bool{false, true} {
		short, long := messagesPerTurn(t, 40, lists), messagesPerTurn(t, 400, lists)
		t.Log(short, long)
		if long > 2*short {
			t.Errorf("a turn looks at %d messages after 40 turns, at %d after 400", short, long)
		}
	}
}

// messagesPerTurn returns at how many messages a decision looks after so many turns.
func messagesPerTurn(t *testing.T, turns int, lists bool) int {
	t.Helper()
	w := newWriter(7)
	for i := range turns {
		w.turn(2)
		if i%10 == 9 { // the user pauses now and then, and what may go then goes
			w.at = w.at.Add(10 * time.Minute)
		}
	}
	f := newFollowed(fiveMinutes())
	f.alone, f.lists = true, lists
	f.run(t, w.lines)
	last := slices.Clone(f.looked[len(f.looked)-len(f.looked)/4:])
	slices.Sort(last)
	return last[len(last)/2]
}
