package usage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// begun is when sessions of these tests begin.
var begun = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// lines are the entries of a session, each with the one before as its parent.
type lines []string

// entry adds an entry, the given number of minutes after the session began.
func (l *lines) entry(minute int, members string) {
	at := begun.Add(time.Duration(minute) * time.Minute)
	parent := "null"
	if n := len(*l); n > 0 {
		parent = fmt.Sprintf(`"e%d"`, n)
	}
	*l = append(*l, fmt.Sprintf(`{"id":"e%d","parentId":%s,"timestamp":%q,%s}`, len(*l)+1, parent, at.Format(time.RFC3339), members))
}

func (l *lines) message(minute int, members string) {
	at := begun.Add(time.Duration(minute) * time.Minute)
	l.entry(minute, fmt.Sprintf(`"type":"message","message":{"timestamp":%d,%s}`, at.UnixMilli(), members))
}

// answer adds an answer that was billed for input tokens outside the cache and cached ones from it.
func (l *lines) answer(minute int, model string, input, cached int) {
	l.message(minute, fmt.Sprintf(`"role":"assistant","provider":"p","model":%q,"stopReason":"stop","content":[{"type":"text","text":"ok"}],"usage":{"input":%d,"output":10,"cacheRead":%d,"cacheWrite":0,"cost":{"total":0.5}}`, model, input, cached))
}

func (l *lines) result(minute int, tool string, chars int) {
	l.message(minute, fmt.Sprintf(`"role":"toolResult","toolCallId":"c%d","toolName":%q,"content":[{"type":"text","text":%q}]`, len(*l), tool, strings.Repeat("x", chars)))
}

func (l lines) read(t *testing.T) *Session {
	t.Helper()
	var tree message.Tree
	var p message.Parser
	at := map[string]string{}
	for _, line := range append([]string{`{"type":"session","version":3,"id":"s1","timestamp":"2026-03-01T10:00:00Z","cwd":"/p"}`}, l...) {
		e, err := p.ParseEntry([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		at[e.ID] = line
		tree.Add(message.Node{Entry: e})
	}
	walked := must.Get(session.Load(&tree, func(n *message.Node) ([]byte, error) { return []byte(at[n.ID]), nil }))(t)
	prices := bill.Prices{}
	return must.Get(Read(walked, func(m *session.Model) token.Prices { return prices.Of(m.Provider, m.ID, m.API, &m.Paid) }))(t)
}

func TestARequestIsMadeOfWhatItSent(t *testing.T) {
	t.Parallel()
	var l lines
	l.entry(0, `"type":"custom","customType":"pictx.declared","data":{"names":["lcm_grep"],"tokens":200}`)
	l.message(0, `"role":"user","content":"`+strings.Repeat("p", 400)+`"`)
	l.answer(1, "m", 1100, 0)
	l.result(1, "read", 4000)
	l.result(1, "bash", 2000)
	l.result(1, "grep", 400)
	l.answer(2, "m", 1600, 1100)
	s := l.read(t)
	must.Stop(t, len(s.Requests) != 2 || s.Total.Responses != 2 || s.Total.Dollars != 1, "%+v", s)
	first, second := s.Requests[0].Sent, s.Requests[1].Sent
	if want := (Sizes{Own: 200, System: 800, Talk: 100}); first != want {
		t.Errorf("first request: %v, want %v", first, want)
	}
	// Messages are 1,700 tokens of these, by an estimate of 1,701.
	if want := (Sizes{Own: 200, System: 800, Talk: 101, Reads: 999, Commands: 500, Tools: 100}); second != want {
		t.Errorf("second request: %v, want %v", second, want)
	}
}

func TestOnlyAnswersThatFailedUnbilledAreNoRequests(t *testing.T) {
	t.Parallel()
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.message(1, `"role":"assistant","model":"m","stopReason":"error","content":[],"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}`)
	l.message(2, `"role":"assistant","model":"m","stopReason":"aborted","content":[],"usage":{"input":5,"output":0,"cacheRead":0,"cacheWrite":0}`)
	l.answer(3, "m", 10, 0)
	if s := l.read(t); len(s.Requests) != 2 || s.Total.Responses != 2 || s.Total.Usage.Input != 15 {
		t.Errorf("%+v", s)
	}
}

func TestTheCauseOfALostCacheIsTheFirstThatThereIsASignOf(t *testing.T) {
	t.Parallel()
	edit := `"type":"context_edit","targetId":"e2","replacement":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"[pruned]"}]}`
	for name, c := range map[string]struct {
		between func(*lines)
		minute  int
		model   string
		cached  int
		want    Cause
	}{
		"nothing lost":      {nil, 2, "m", 20_000, Held},
		"a little lost":     {nil, 2, "m", 19_500, Held},
		"no sign":           {nil, 2, "m", 1000, Unexplained},
		"a pause":           {nil, 9, "m", 0, Paused},
		"pruned":            {func(l *lines) { l.entry(2, edit) }, 2, "m", 3000, Rewritten},
		"pruned in a pause": {func(l *lines) { l.entry(9, edit) }, 9, "m", 0, Paused},
		"compacted": {func(l *lines) {
			l.entry(2, `"type":"compaction","summary":"all of it","firstKeptEntryId":"e1","tokensBefore":20000`)
			l.entry(2, edit)
		}, 9, "m", 0, Compacted},
		"another model": {func(l *lines) { l.entry(2, edit) }, 9, "other", 10, Switched},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l lines
			l.message(0, `"role":"user","content":"hi"`)
			l.result(0, "read", 40_000)
			l.answer(1, "m", 20_000, 5)
			if c.between != nil {
				c.between(&l)
			}
			l.answer(c.minute, c.model, 20_005-c.cached, c.cached)
			s := l.read(t)
			q := s.Requests[len(s.Requests)-1]
			lost := token.Count(0)
			if c.want != Held {
				lost = token.Count(20_005 - c.cached)
			}
			must.Not(t, q.Cause != c.want || q.Lost != lost, "%q, %d lost; want %q, %d", q.Cause, q.Lost, c.want, lost)
		})
	}
}

func TestAProviderWithoutACacheLosesNone(t *testing.T) {
	t.Parallel()
	var l lines
	l.answer(1, "m", 20_000, 0)
	l.answer(2, "m", 20_000, 0)
	if q := l.read(t).Requests[1]; q.Cause != Held {
		t.Errorf("%+v", q)
	}
}

// marked is the entry that says what was pruned where the agent keeps no edits.
var marked = `"type":"custom","customType":"pictx.marks","data":{"marks":[{"id":"e2","marker":"` + strings.Repeat("m", 80) + `"}]}`

// Sessions of agents that keep no edits: there an entry of pictx says what was pruned.
func TestMarksCountWhereTheSessionHasNoEdits(t *testing.T) {
	t.Parallel()
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.result(0, "read", 40_000)
	l.answer(1, "m", 20_000, 0)
	l.entry(2, marked)
	l.answer(3, "m", 10_000, 0)
	s := l.read(t)
	must.Not(t, s.Pruned() != (Pruned{1, 9_980}) || s.Requests[1].Pruned != s.Pruned(), "pruned %+v: %+v", s.Pruned(), s.Requests)
	if before, after := s.Requests[0].Sent[Reads], s.Requests[1].Sent[Reads]; before < 9000 || after > 2000 {
		t.Errorf("reads: %d before, %d after", before, after)
	}
}

func TestRequestsAfterACompactionOrOnAnotherBranchStartAnew(t *testing.T) {
	t.Parallel()
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.answer(1, "m", 1000, 0)
	l.entry(2, `"type":"compaction","summary":"`+strings.Repeat("s", 2000)+`","firstKeptEntryId":"e1","tokensBefore":1000`)
	l.answer(3, "m", 1200, 0)
	l.answer(4, "m", 1300, 0)
	l = append(l, `{"id":"z1","parentId":"e2","timestamp":"2026-03-01T10:09:00Z","type":"message","message":{"role":"assistant","model":"m","content":[]}}`)
	s := l.read(t)
	var got []session.Start
	for _, q := range s.Requests {
		got = append(got, q.Start)
	}
	want := []session.Start{session.StartsSession, session.AfterCompaction, session.Continues, session.OnBranch}
	must.Not(t, fmt.Sprint(got) != fmt.Sprint(want) || s.Compactions() != 1 || s.Requests[1].Sent[Summaries] == 0, "%v, want %v: %+v", got, want, s.Requests)
}

// A fork has the requests of what it was forked from: they count where they were made.
func TestRequestsThatForksShareCountOnce(t *testing.T) {
	t.Parallel()
	session := func(id string, started int64, own float64) *Session {
		s := &Session{ID: id, Started: started}
		for _, dollars := range []float64{1, own} {
			r := Response{Model: "m", Time: 7, Dollars: dollars}
			s.Total.Add(&r)
			s.Requests = append(s.Requests, Request{Response: r, Sent: Sizes{Talk: 10}, Cause: Paused, Lost: 5})
		}
		return s
	}
	a := NewAccount(time.UTC)
	a.Sessions = []*Session{session("fork", 2, 9), session("first", 1, 2)}
	a.Settle()
	if a.Sessions[0].ID != "fork" || !a.Sessions[0].Requests[0].Shared || a.Sessions[0].Requests[1].Shared || a.Sessions[1].Requests[0].Shared {
		t.Errorf("%+v, %+v", a.Sessions[0], a.Sessions[1])
	}
	made, losses := a.Made(), a.Losses()
	must.Not(t, made.Sum() != 30 || len(losses) != 1 || losses[0] != (Loss{Paused, 3, 15}), "made of %v, lost %v", made, losses)
}

// An edit that restores a result has all of its text.
func TestARestoredResultDoesNotCountAsPruned(t *testing.T) {
	t.Parallel()
	edit := func(text string) string {
		return fmt.Sprintf(`"type":"context_edit","targetId":"e2","replacement":{"content":[{"type":"text","text":%q}]}`, text)
	}
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.result(0, "read", 40_000)
	l.answer(1, "m", 20_000, 0)
	l.entry(2, edit(strings.Repeat("m", 80)))
	l.answer(2, "m", 10_000, 0)
	l.entry(3, edit(strings.Repeat("x", 40_000)))
	l.answer(3, "m", 20_000, 0)
	once := Pruned{1, 9_980}
	if s := l.read(t); s.Pruned() != (Pruned{}) || s.Requests[1].Pruned != once || s.Requests[1].Restored != once || s.Requests[2].Pruned != (Pruned{}) {
		t.Errorf("restored: %+v: %+v", s.Pruned(), s.Requests)
	}
	l.entry(3, edit(strings.Repeat("m", 80)))
	l.answer(4, "m", 10_000, 0)
	if s := l.read(t); s.Pruned() != once || s.Requests[3].Pruned != once || s.Requests[3].Again != once {
		t.Errorf("pruned again: %+v: %+v", s.Pruned(), s.Requests)
	}
}

func TestAResultThatAPinRestoredDoesNotCountWhereTheSessionHasNoEdits(t *testing.T) {
	t.Parallel()
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.result(0, "read", 40_000)
	l.answer(1, "m", 20_000, 0)
	l.entry(2, marked)
	l.answer(3, "m", 10_000, 0)
	l.entry(4, `"type":"custom","customType":"pictx.pins","data":{"pins":[{"target":"e2"}],"restored":["e2"]}`)
	l.answer(5, "m", 20_000, 0)
	s := l.read(t)
	if once := (Pruned{1, 9_980}); s.Pruned() != (Pruned{}) || s.Requests[1].Pruned != once || s.Requests[1].Restored != once {
		t.Errorf("%+v: %+v", s.Pruned(), s.Requests)
	}
	if pruned, after := s.Requests[1].Sent[Reads], s.Requests[2].Sent[Reads]; pruned > 2000 || after < 9000 {
		t.Errorf("reads: %d pruned, %d restored", pruned, after)
	}
}

// Going back with /tree to before a prune prunes the same results again.
func TestAResultPrunedOnTwoBranchesCountsOnce(t *testing.T) {
	t.Parallel()
	const edit = `"type":"context_edit","targetId":"e2","replacement":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"[pruned]"}]}`
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.result(0, "read", 40_000)
	l.answer(1, "m", 20_000, 0)
	l.entry(2, edit)
	l.answer(2, "m", 10_000, 0)
	l = append(l,
		`{"id":"z1","parentId":"e3","timestamp":"2026-03-01T10:03:00Z",`+edit+`}`,
		`{"id":"z2","parentId":"z1","timestamp":"2026-03-01T10:03:00Z","type":"message","message":{"role":"assistant","model":"m","content":[]}}`)
	s := l.read(t)
	if once, again := s.Requests[1].Pruned, s.Requests[2].Pruned; once.Results != 1 || once != again || s.Pruned() != once {
		t.Errorf("pruned %+v: %+v", s.Pruned(), s.Requests)
	}
}

func TestWhatIsPrunedAfterTheLastRequestCountsInTheSession(t *testing.T) {
	t.Parallel()
	var l lines
	l.message(0, `"role":"user","content":"hi"`)
	l.result(0, "read", 40_000)
	l.answer(1, "m", 20_000, 0)
	l.entry(2, marked)
	must.Equal(t, l.read(t).Pruned(), (Pruned{1, 9_980}), "pruned by its mark")
	l = l[:3]
	l.entry(2, `"type":"context_edit","targetId":"e2","replacement":null`)
	must.Equal(t, l.read(t).Pruned(), (Pruned{1, 10_000}), "pruned by its edit")
}
