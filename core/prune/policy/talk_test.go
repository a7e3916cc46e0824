package policy

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// talk is a conversation as an agent records it, a call every ten seconds.
type talk struct {
	list
	clock time.Duration
	calls int
	model string
	usage func(t *talk) string // of the next answer, nil for none
	// response is the provider's id of the next answers, "" for none.
	response string
}

func (t *talk) add(m string) int {
	t.list = append(t.list, []byte(m))
	return len(t.list) - 1
}

func (t *talk) user() *talk {
	t.add(fmt.Sprintf(`{"role":"user","content":"go on","timestamp":%d}`, t.clock.Milliseconds()))
	return t
}

// answer adds an assistant message with the given content blocks.
func (t *talk) answer(stop, blocks string) {
	t.clock += 10 * time.Second
	model := t.model
	if model == "" {
		model = "m"
	}
	usage := ""
	if t.usage != nil {
		usage = `,"usage":` + t.usage(t)
	}
	if t.response != "" {
		usage += fmt.Sprintf(`,"responseId":%q`, t.response)
	}
	t.add(fmt.Sprintf(`{"role":"assistant","content":[%s],"provider":"p","model":%q,"stopReason":%q,"timestamp":%d%s}`,
		blocks, model, stop, t.clock.Milliseconds(), usage))
}

// say adds answers without calls.
func (t *talk) say(n int) *talk {
	for range n {
		t.answer("stop", `{"type":"text","text":"well"}`)
	}
	return t
}

// ask adds an answer with one call, and returns the call's id.
func (t *talk) ask(stop, tool, args string) string {
	t.calls++
	id := fmt.Sprintf("c%d", t.calls)
	t.answer(stop, fmt.Sprintf(`{"type":"toolCall","id":%q,"name":%q,"arguments":%s}`, id, tool, args))
	return id
}

// run adds a call and its result of the given size, and returns the position of
// the result.
func (t *talk) run(tool, args string, tokens int) int {
	id := t.ask("toolUse", tool, args)
	return t.add(strings.Replace(result(id, tool, tokens), "{", fmt.Sprintf(`{"timestamp":%d,`, t.clock.Milliseconds()), 1))
}

// fail is run with a failed call.
func (t *talk) fail(tool, args string) int {
	id := t.ask("toolUse", tool, args)
	return t.add(failed(result(id, tool, 500)))
}

func (t *talk) read(path string) int { return t.run("read", fmt.Sprintf(`{"path":%q}`, path), 1000) }

func (t *talk) edit(path string) int {
	return t.run("edit", fmt.Sprintf(`{"path":%q,"oldText":"a","newText":"b"}`, path), 10)
}

// moment is a situation with what is known of the coming request.
type moment struct {
	Situation
	Now           int64 // in Unix milliseconds; 0 is right after the last request
	Prices        token.Prices
	KnownPrices   bool
	Floor         token.Count // of the system prompt and the tools, 0 when unknown
	Scale         float64     // 0 when unknown
	ModelSwitched bool
}

// of returns the situation in which the messages were sent so far.
func (m moment) of(messages []Message) Situation {
	if m.View == nil {
		m.View = m.view(messages)
	}
	return m.Situation
}

func (m moment) view(messages []Message) *View {
	p := m.Prices
	if !m.KnownPrices {
		p = token.Unknown()
	}
	s, err := listedSession(messages)
	if err != nil {
		panic(err)
	}
	if m.Floor > 0 {
		s.AssumeFloor(m.Floor)
	}
	for i := range s.Models {
		s.Models[i].Scale = cmp.Or(m.Scale, s.Models[i].Scale)
	}
	v, err := Coming{Leaf: s.Tree().Leaf(), Now: m.Now, Switched: m.ModelSwitched, Prices: p}.View(s, messages)
	if err != nil {
		panic(err)
	}
	return v
}

// at plans at a moment.
func (p *Planner) at(m moment, messages []Message) Plan { return p.PlanAt(m.of(messages), messages) }

// later is a situation in which the cache of five minutes is cold.
func (t *talk) later() moment {
	s := t.now()
	s.Now += time.Hour.Milliseconds()
	return s
}

// now is before a turn that begins right after the last answer, under Anthropic's prices for
// five minutes.
func (t *talk) now() moment {
	p, _ := token.Profile("anthropic-5m")
	return moment{Now: (t.clock + 5*time.Second).Milliseconds(), Prices: p, KnownPrices: true, Floor: 1000, Scale: 1, Situation: Situation{Boundary: true}}
}

// willing is now, under prices at which every rewrite of a warm cache pays.
func (t *talk) willing() moment {
	s := t.now()
	s.Prices = token.Prices{Name: "willing", Read: 0.99, Write: 1, TTL: 5 * time.Minute}
	return s
}

// plan plans by the policy "auto".
func (t *talk) plan(s moment) Plan { return NewAuto(DefaultAuto()).at(s, t.parse()) }

// wantCodes compares the reasons of messages with those expected.
func wantCodes(t *testing.T, p Plan, want map[int]string) {
	t.Helper()
	for i, code := range want {
		must.Equal(t, why(p, i), code, "the reason of message %d (%s)", i, p.Outcome)
	}
}

// markerAt returns the marker of a message that a plan edits.
func markerAt(t *testing.T, p Plan, index int) string {
	t.Helper()
	for _, e := range p.Edits {
		if e.Index == index {
			return e.Marker
		}
	}
	t.Fatalf("message %d is not pruned but %q: %s", index, why(p, index), p.Outcome)
	return ""
}

// pruned applies a plan as an agent does: what is sent from now on holds markers.
func pruned(messages []Message, p Plan) []Message {
	out := append([]Message(nil), messages...)
	for _, e := range p.Edits {
		out[e.Index] = e.Apply(out[e.Index])
	}
	return out
}

// texts makes a Situation.Text of the text of a conversation's results.
func (t *talk) texts() func(int) []byte {
	return func(i int) []byte {
		var p message.Parser
		h, err := p.ParseMessage(t.list[i])
		if err != nil {
			return nil
		}
		e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(t.list[i])}}
		return e.AppendBody(nil, t.list[i])
	}
}

// text is a tool result with a text of its own.
func text(id, tool, body string) string {
	return fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":%s}],"isError":false}`,
		id, tool, message.AppendQuote(nil, body))
}

// lots is a text of the given number of lines.
func lots(lines int) string {
	return strings.TrimSuffix(strings.Repeat("a line of some text\n", lines), "\n")
}
