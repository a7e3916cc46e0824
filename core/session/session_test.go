package session_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// script is a session file that is being written: every entry follows the one before it, a
// second later, or later still by what clock is moved on.
type script struct {
	lines []string
	clock time.Duration
}

func newScript() *script {
	return &script{lines: []string{`{"type":"session","version":3,"id":"s1","timestamp":"2026-11-20T10:00:00Z","cwd":"/p"}`}}
}

func (s *script) add(members string) string {
	n := len(s.lines)
	at := time.Date(2026, 11, 20, 10, 0, n, 0, time.UTC).Add(s.clock)
	parent := "null"
	if n > 1 {
		parent = fmt.Sprintf(`"e%d"`, n-1)
	}
	members = strings.ReplaceAll(members, "TIME", fmt.Sprint(at.UnixMilli()))
	s.lines = append(s.lines, fmt.Sprintf(`{"id":"e%d","parentId":%s,"timestamp":%q,%s}`, n, parent, at.Format(time.RFC3339), members))
	return fmt.Sprintf("e%d", n)
}

func (s *script) says(text string) string {
	return s.add(fmt.Sprintf(`"type":"message","message":{"role":"user","content":%q,"timestamp":TIME}`, text))
}

// answers adds a response of a model that was billed for input tokens at a price per million.
func (s *script) answers(model string, input int, price float64) string {
	cost := price * float64(input) / 1e6
	return s.add(fmt.Sprintf(`"type":"message","message":{"role":"assistant","api":"anthropic-messages","provider":"fake","model":%q,"stopReason":"stop","content":[{"type":"text","text":"ok"}],"usage":{"input":%d,"output":0,"cacheRead":0,"cacheWrite":0,"cost":{"input":%v,"total":%v}},"timestamp":TIME}`, model, input, cost, cost))
}

func (s *script) load(t *testing.T) *session.Session {
	t.Helper()
	var tree message.Tree
	var p message.Parser
	at := make(map[string]string)
	for _, line := range s.lines {
		e, err := p.ParseEntry([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		at[e.ID] = line
		tree.Add(message.Node{Entry: e})
	}
	return must.Get(session.Load(&tree, func(n *message.Node) ([]byte, error) { return []byte(at[n.ID]), nil }))(t)
}

func recorded(m *session.Model) token.Prices {
	prices := bill.Prices{}
	return prices.Of(m.Provider, m.ID, m.API, &m.Paid)
}

func TestASwitchOfTheModelLeavesEarlierRequestsAtTheirPrice(t *testing.T) {
	s := newScript()
	s.says(strings.Repeat("x", 4000))
	s.answers("cheap", 4000, 1)
	before := s.load(t).Bill(recorded, nil).Dollars.Billed
	s.says("go on")
	s.answers("expensive", 4100, 100)
	between := s.load(t).Bill(recorded, nil)
	s.says("and on")
	s.answers("free", 4200, 0)
	after := s.load(t).Bill(recorded, nil)
	if got := between.Dollars.Billed - before; got < 90*before || got > 120*before {
		t.Errorf("$%v, then $%v more at a hundred times the price", before, got)
	}
	if math.Abs(after.Dollars.Billed-between.Dollars.Billed) > 1e-12 || after.Dollars.Requests != 3 || after.Tokens.Requests != 0 {
		t.Errorf("$%v before a free model answered, $%v after: %+v", between.Dollars.Billed, after.Dollars.Billed, after.Total)
	}
}

func TestAPrunedResultIsWholeForPlainPi(t *testing.T) {
	const pointer = "full text: pictx expand 12345678]"
	t.Run("by a marker", func(t *testing.T) { isWholeForPlainPi(t, `[pruned: bash "seq" (~10000 tok); `+pointer, 30) })
	t.Run("by an excerpt", func(t *testing.T) {
		isWholeForPlainPi(t, strings.Repeat("a line that stays\n", 60)+"[pruned: 371 of 431 lines (~9800 tok) of this output; "+pointer, 300)
	})
}

// isWholeForPlainPi checks a session in which a result was replaced by a text of at most that many
// tokens.
func isWholeForPlainPi(t *testing.T, by string, most token.Count) {
	t.Helper()
	s := newScript()
	s.says("read")
	s.add(`"type":"message","message":{"role":"assistant","provider":"fake","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"seq"}}],"timestamp":TIME}`)
	result := s.add(fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":%q}],"timestamp":TIME}`, strings.Repeat("x", 40_000)))
	s.answers("m", 11_000, 10)
	s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":{"content":[{"type":"text","text":%q}]}`, result, by))
	s.says("go on")
	s.answers("m", 1100, 10)
	got := s.load(t)
	last := got.Requests[2]
	if last.Sent.Keep != 2 || last.Plain.Keep != 3 {
		t.Errorf("sent shares %d messages with the request before, plain pi's %d", last.Sent.Keep, last.Plain.Keep)
	}
	var pruned *session.Message
	for i := range got.Messages {
		if got.Messages[i].Kind == session.Marker {
			pruned = &got.Messages[i]
		}
	}
	must.Not(t, pruned == nil || got.Messages[pruned.Plain].Tokens != 10_000 || pruned.Tokens > most, "%+v", pruned)
	var saved []float64
	got.Bill(recorded, func(_ int, dollars float64) { saved = append(saved, dollars) })
	must.Not(t, len(saved) != 3 || saved[0] != 0 || saved[1] != 0 || saved[2] == 0, "saved %v", saved)
}

func TestWhatOnlyPictxAsksForIsNotOnTheBillOfPlainPi(t *testing.T) {
	s := newScript()
	s.says("find it")
	s.add(`"type":"message","message":{"role":"assistant","provider":"fake","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"lcm_expand","arguments":{"id":"12345678"}}],"timestamp":TIME}`)
	s.add(fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":"c1","toolName":"lcm_expand","content":[{"type":"text","text":%q}],"timestamp":TIME}`, strings.Repeat("x", 4000)))
	s.add(`"type":"custom_message","customType":"pictx.objects","content":"a note of pictx","display":false`)
	s.answers("m", 2000, 10)
	got := s.load(t)
	must.Not(t, !got.Requests[0].Fetch || got.Requests[1].Fetch || len(got.Requests[1].Plain.Add)+got.Requests[1].Plain.Keep != 1, "%+v", got.Requests)
	b := got.Bill(recorded, nil).Dollars
	must.Not(t, b.Requests != 1 || b.Parts[bill.Fetches].Cost <= 0 || b.Parts[bill.Messages].Tokens == 0, "%+v", b)
}

func TestRequestsBesidesTheConversationCostTheSameOnBothSides(t *testing.T) {
	s := newScript()
	s.says("hi")
	s.answers("m", 1000, 10)
	s.add(`"type":"usage","kind":"something_new","provider":"fake","model":"m","usage":{"input":5,"output":1,"cost":{"total":0.5}}`)
	s.add(`"type":"branch_summary","summary":"tried","fromId":"e2","usage":{"input":50,"output":5,"cost":{"total":4}}`)
	b := s.load(t).Bill(recorded, nil).Dollars
	must.Not(t, b.Saved() != 0 || b.Parts[bill.Summaries].Cost != 4 || b.Billed < 4.5, "%+v", b)
}

func TestASessionOfBranchesAloneIsNotFollowedToItsEnd(t *testing.T) {
	const deep, answers = 4000, 1200
	var tree message.Tree
	add := func(id, parent int, role message.Role) {
		tree.Add(message.Node{Entry: message.Entry{
			Type: message.EntryMessage, ID: fmt.Sprint("e", id), ParentID: fmt.Sprint("e", parent), Body: message.Span{End: 2},
			Message: message.Head{Role: role, Content: message.Content{Kind: message.ContentText}},
		}})
	}
	for i := range deep {
		add(i+1, i, message.RoleUser)
	}
	for i := range answers {
		add(deep+i+1, deep-i%2, message.RoleAssistant)
	}
	_, err := session.Load(&tree, func(*message.Node) ([]byte, error) { return []byte("{}"), nil })
	must.Not(t, err == nil || !strings.Contains(err.Error(), "change branches"), "%v", err)
}

func TestARequestIsDatedByTheEarliestTimeItCanHaveBeenSent(t *testing.T) {
	s := newScript()
	s.says("hi")
	s.answers("m", 1000, 10)
	got := s.load(t).Requests[0]
	if prompt, answer := time.Date(2026, 11, 20, 10, 0, 1, 0, time.UTC).UnixMilli(), got.Answer.Message.Timestamp; got.At != prompt || got.At >= answer {
		t.Errorf("sent at %d, the prompt came at %d, the response at %d", got.At, prompt, answer)
	}
}
