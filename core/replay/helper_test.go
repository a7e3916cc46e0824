package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// script is a session file that is being written: every entry follows the one
// before it unless branch says otherwise, a second later.
type script struct {
	lines []string
	at    string // the entry it stands at
	n     int
	clock int64 // in seconds
}

func newSession() *script {
	return &script{clock: 1_000_000, lines: []string{`{"type":"session","version":3,"id":"s-1","cwd":"/home/dev","timestamp":"2026-01-01T00:00:00.000Z"}`}}
}

// add writes an entry, whose JSON has %s in the place of id, parent and time.
func (s *script) add(body string) string {
	s.n++
	s.clock++
	id, parent := fmt.Sprintf("%08x", s.n), "null"
	if s.at != "" {
		parent = `"` + s.at + `"`
	}
	s.lines = append(s.lines, fmt.Sprintf(`{"id":"%s","parentId":%s,"timestamp":"%s",%s}`, id, parent,
		time.Unix(s.clock, 0).UTC().Format(time.RFC3339), body))
	s.at = id
	return id
}

func (s *script) message(body string) string {
	return s.add(fmt.Sprintf(`"type":"message","message":{%s,"timestamp":%d}`, body, (s.clock+1)*1000))
}

// user writes a prompt of the given size.
func (s *script) user(tokens int) string { return s.says(strings.Repeat("u", 4*tokens)) }

func (s *script) says(text string) string {
	return s.message(fmt.Sprintf(`"role":"user","content":%q`, text))
}

// answer writes an answer that is a text of the given size.
func (s *script) answer(tokens int) string {
	return s.message(fmt.Sprintf(`"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":%q}]`, strings.Repeat("a", 4*tokens)))
}

// calls writes an answer with a call of a tool. Its size is that of name and
// arguments.
func (s *script) calls(id, tool, arguments string) string {
	return s.message(fmt.Sprintf(`"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}]`, id, tool, arguments))
}

// result writes a result with a text.
func (s *script) result(id, tool, text string) string {
	return s.message(fmt.Sprintf(`"role":"toolResult","toolCallId":%q,"toolName":%q,"isError":false,"content":[{"type":"text","text":%q}]`, id, tool, text))
}

// uses gives the last answer recorded usage, of which read was cached.
func (s *script) uses(prompt, read int) {
	i := len(s.lines) - 1
	s.lines[i] = strings.Replace(s.lines[i], `"stopReason"`, fmt.Sprintf(`"usage":{"input":%d,"output":1,"cacheRead":%d,"cacheWrite":0},"stopReason"`, prompt-read, read), 1)
}

// edit makes a change in the last entry's text.
func (s *script) edit(old, new string) {
	i := len(s.lines) - 1
	if !strings.Contains(s.lines[i], old) {
		panic(old + " is not in " + s.lines[i])
	}
	s.lines[i] = strings.Replace(s.lines[i], old, new, 1)
}

// compact writes a compaction that keeps everything from an entry on.
func (s *script) compact(tokens int, keep string) string {
	return s.add(fmt.Sprintf(`"type":"compaction","summary":%q,"firstKeptEntryId":%q,"tokensBefore":1`, strings.Repeat("c", 4*tokens), keep))
}

func (s *script) wait(d time.Duration) { s.clock += int64(d / time.Second) }

// tree parses the session.
func (s *script) tree(t testing.TB) (*message.Tree, session.Line) {
	t.Helper()
	tree := &message.Tree{}
	var p message.Parser
	for i, line := range s.lines {
		must.Stop(t, !json.Valid([]byte(line)), "line %d is no JSON: %s", i, line)
		e := must.Get(p.ParseEntry([]byte(line)))(t)
		tree.Add(message.Node{Entry: e, Line: i + 1})
	}
	return tree, func(n *message.Node) ([]byte, error) { return []byte(s.lines[n.Line-1]), nil }
}

func (s *script) load(t testing.TB) *Recording {
	t.Helper()
	return must.Get(Load(s.tree(t)))(t)
}

// fixed makes the sizes of a recording those of pi's estimate, with a floor.
func fixed(r *Recording, floor token.Count) *Recording {
	for i := range r.Models {
		r.Models[i].Scale, r.Models[i].Floor = 1, floor
	}
	return r
}

// stub is what the test policies leave behind: 10 tokens.
const stub = "[a marker of exactly forty characters..]"

// chosen prunes the results that it says yes to: age is the number of results
// after one. It acts inside turns, too, as a layout does.
type chosen func(entry string, age int) bool

func (c chosen) policy() Policy {
	leaves := func(in *policy.Input, r *policy.Result) bool {
		return r.Message.Marked || !c(r.Message.EntryID, policy.CountResults(in.Messages[r.Index+1:]))
	}
	return Policy{Name: "chosen", Planner: &policy.Planner{
		Sources:     policy.NewSeed(policy.SeedSettings{}).Sources, // all results
		Protections: []policy.Protection{{Keeps: leaves}},
		When: func(_ *policy.Input, found []*policy.Candidate) policy.Verdict {
			return policy.Verdict{Act: len(found) > 0}
		},
		Marker: func(*policy.Input, *policy.Candidate) string { return stub },
		Layout: true,
	}}
}

// Auto and Kota are the policies of these names.
func Auto(s policy.AutoSettings) Policy { return Policy{"auto", policy.NewAuto(s)} }

func Kota(s policy.KotaSettings) Policy { return Policy{"kota", policy.NewKota(s)} }

// older is a policy that prunes one result when it has become so old.
func older(entry string, age int) Policy {
	return chosen(func(e string, a int) bool { return e == entry && a >= age }).policy()
}

// world is the prices of a profile, whatever model answers.
func world(t testing.TB, profile string) World {
	t.Helper()
	p := prices(t, profile)
	return World{Name: profile, Of: func(*session.Model) token.Prices { return p }}
}

// replayed runs under one profile, with everything collected.
func replayed(t testing.TB, r *Recording, p Policy, profile string) Run {
	t.Helper()
	run := must.Get(r.Run(context.Background(), p, world(t, profile), Options{Series: true, Pruned: true}))(t)
	return *run
}

// alone is what the requests cost without what pictx adds besides markers.
func alone(r Run) float64 {
	return r.Bill.Tokens.Parts[bill.Requests].Cost + r.Bill.Tokens.Parts[bill.Markers].Cost
}

// sizes returns the prompts of a run's requests.
func sizes(r Run) []int {
	var out []int
	for _, p := range r.Series {
		out = append(out, int(p.Tokens))
	}
	return out
}

func wantSizes(t *testing.T, r Run, want ...int) {
	t.Helper()
	must.Match(t, sizes(r), want, "the prompts")
}

func wantBill(t *testing.T, name string, got, want float64) {
	t.Helper()
	if d := got - want; d > 1e-6 || d < -1e-6 {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// withPath makes markers say a path.
func withPath(write policy.Marker) policy.Marker {
	return func(in *policy.Input, c *policy.Candidate) string { return write(in, c) + " forty/marked.go" }
}

// errGone is an error of reading.
var errGone = errors.New("it is gone")

func prices(t testing.TB, name string) token.Prices {
	t.Helper()
	p, ok := token.Profile(name)
	must.Stop(t, !ok, "there are no prices %s", name)
	return p
}

// defaultAuto are the settings of the policy "auto" in a new configuration.
func defaultAuto() policy.AutoSettings {
	return policy.AutoSettings{
		KeepTools: []string{"task", "skill", "ask*"},
		KeepPaths: []string{"**/*.env", "**/AGENTS.md", "**/SKILL.md"},
		PinImpact: true,
	}
}
