package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/internal/must"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

func TestACallIsSentWithItsLastMessage(t *testing.T) {
	s := newSession()
	s.user(1) // at 1,000,001 s
	s.calls("c1", "read", neutral)
	s.wait(time.Minute)
	s.result("c1", "read", "r") // at 1,000,063 s
	s.wait(time.Minute)
	s.answer(1)
	got := replayed(t, s.load(t), None(), "openai")
	must.Not(t, got.Series[0].Time != 1_000_001_000 || got.Series[1].Time != 1_000_063_000, "%+v", got.Series)
}

func TestFailedAnswersAreNeitherCallsNorSentAgain(t *testing.T) {
	for _, reason := range []string{"error", "aborted"} {
		s := newSession()
		s.user(100)
		s.answer(50)
		s.edit(`"stopReason":"stop"`, `"stopReason":"`+reason+`"`)
		s.user(10)
		s.answer(1)
		wantSizes(t, replayed(t, fixed(s.load(t), 1000), None(), "openai"), 1110)
	}
	// What was stopped after the provider had counted the prompt was paid for.
	s := newSession()
	s.user(100)
	s.answer(50)
	s.uses(1100, 0)
	s.edit(`"stopReason":"stop"`, `"stopReason":"aborted"`)
	s.user(10)
	s.answer(1)
	wantSizes(t, replayed(t, fixed(s.load(t), 1000), None(), "openai"), 1100, 1110)
}

func TestPartsOfOneResponseAreOneCall(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string // members of the two answers
		want          []int
	}{
		"the same response": {`"responseId":"r1",`, `"responseId":"r1",`, []int{1100, 1508}},
		"two responses":     {`"responseId":"r1",`, `"responseId":"r2",`, []int{1100, 1304, 1508}},
		"nobody knows":      {"", "", []int{1100, 1304, 1508}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession()
			s.user(100)
			s.calls("c1", "read", neutral)
			s.uses(5000, 0)
			s.edit(`"provider"`, c.first+`"provider"`)
			s.result("c1", "read", filled("A", 200))
			s.calls("c2", "read", neutral)
			s.uses(5000, 0)
			s.edit(`"provider"`, c.second+`"provider"`)
			s.result("c2", "read", filled("B", 200))
			s.answer(1)
			s.uses(5410, 5000)
			wantSizes(t, replayed(t, fixed(s.load(t), 1000), None(), "openai"), c.want...)
		})
	}
}

func TestWhatAPartOfAResponseMissesCounts(t *testing.T) {
	s, a, _ := two(0)
	s.calls("c3", "read", neutral)
	s.uses(5000, 0)
	s.edit(`"provider"`, `"responseId":"r","provider"`)
	s.result("c3", "read", "r")
	s.calls("c4", "edit", editing("only in result A"))
	s.uses(5000, 0)
	s.edit(`"provider"`, `"responseId":"r","provider"`)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "openai")
	must.Not(t, got.Requests != 3 || got.Edits != 1 || got.EditsMissing != 1, "%+v", got)
}

func TestMessagesThatAreNotSentCostNothing(t *testing.T) {
	s := newSession()
	s.user(100)
	s.message(`"role":"bashExecution","command":"ls","output":"12345678","excludeFromContext":true`)
	s.add(`"type":"custom","customType":"state","data":{}`)
	s.message(`"role":"system","content":"` + strings.Repeat("x", 4000) + `"`)
	s.answer(1)
	wantSizes(t, replayed(t, fixed(s.load(t), 1000), None(), "openai"), 1100)
}

// contexts returns the messages of every call, as a run steps through them.
func contexts(r *Recording) [][]int32 {
	var out [][]int32
	var ctx []int32
	for _, c := range r.Requests {
		ctx = append(slices.Clone(ctx[:c.Plain.Keep]), c.Plain.Add...)
		out = append(out, ctx)
	}
	return out
}

func TestRecordedRequestsHaveTheContextOfTheirBranch(t *testing.T) {
	s, a, _ := two(0)
	third := s.answer(20)
	s.at = a
	s.user(30)
	s.answer(1)
	s.compact(10, a)
	s.user(5)
	s.answer(1)
	s.at = third
	s.user(30)
	s.answer(1)
	tree, line := s.tree(t)
	r := must.Get(Load(tree, line))(t)
	got, i := contexts(r), 0
	for c := range tree.ModelCalls() {
		must.Stop(t, len(c.Context) != len(got[i]), "call %d has %d messages, want %d", i, len(got[i]), len(c.Context))
		for j, it := range c.Context {
			if r.Messages[got[i][j]].Item.Node != it.Node {
				t.Errorf("call %d: message %d is %s, want %s", i, j, r.Messages[got[i][j]].Item.Node.ID, it.Node.ID)
			}
		}
		i++
	}
	must.Not(t, i != len(r.Requests) || i != 6, "%d calls, %d recorded", i, len(r.Requests))
	must.Equal(t, len(r.Messages), 11, "messages, which are kept once")
}

func TestResultsPrunedInTheSessionAreReplayedUnpruned(t *testing.T) {
	marks := func(text string) string {
		b, _ := json.Marshal(text)
		return `"type":"context_edit","targetId":"00000003","replacement":{"content":[{"type":"text","text":` + string(b) + `}]}`
	}
	for name, c := range map[string]struct {
		text string
		want int // the size of the last prompt
	}{
		"by this program":    {"[output pruned — ~200 tokens | read]", 1508},
		"by somebody else":   {strings.Repeat("y", 40), 1318},
		"to another content": {strings.Repeat("y", 4000), 2308},
	} {
		t.Run(name, func(t *testing.T) {
			s, a, _ := two(0)
			must.Stop(t, a != "00000003", "%v", a)
			s.add(marks(c.text))
			s.answer(1)
			r := s.load(t)
			got := replayed(t, fixed(r, 1000), None(), "openai")
			wantSizes(t, got, 1100, 1304, c.want)
			if same := got.Series[2].Read == 1304; same != (c.want == 1508) {
				t.Errorf("%+v", got.Series[2])
			}
		})
	}
}

// Plain pi prunes nothing and so restores nothing: its prompt is the same before and after.
func TestAResultRestoredInTheSessionIsNoChangeForPlainPi(t *testing.T) {
	s, a, _ := two(0)
	s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":{"content":[{"type":"text","text":"[output pruned — ~200 tokens | read]"}]}`, a))
	s.answer(1)
	_, original, _ := strings.Cut(s.lines[3], `"content":`)
	s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":{"content":%s`, a, original[:strings.LastIndex(original, `,"timestamp"`)]+"}"))
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), None(), "openai")
	wantSizes(t, got, 1100, 1304, 1508, 1509)
	must.Not(t, got.Series[3].Read != 1508, "%+v: the restored result is written again", got.Series[3])
}

func TestTokensAreCalibratedByRecordedUsage(t *testing.T) {
	s := newSession()
	s.user(1000)
	s.answer(3000)
	s.uses(2000+1500, 0)
	s.user(1000)
	s.answer(3000)
	s.uses(2000+7500, 3500)
	s.user(1000)
	s.answer(1)
	s.uses(2000+13500, 9500)
	c := s.load(t).Models
	must.Not(t, len(c) != 1 || c[0].Scale != 1.5 || c[0].Floor != 2000 || c[0].Counted != 3 || c[0].Name() != "p/m", "%+v", c)
	got := replayed(t, s.load(t), None(), "openai")
	wantSizes(t, got, 3500, 9500, 15500)
}

func TestWithoutRecordedUsageTheEstimateIsTaken(t *testing.T) {
	s := newSession()
	s.user(100)
	s.answer(1)
	r := s.load(t)
	must.Not(t, r.Models[0].Scale != 1 || r.Models[0].Floor != token.AssumedFloor || r.Models[0].Counted != 0, "%+v", r.Models[0])
}

func TestASessionThatNamesNoModelWasConverted(t *testing.T) {
	s := newSession()
	s.user(10)
	must.Not(t, !s.load(t).Converted, "pi would have written a model_change")
	s.add(`"type":"model_change","provider":"p","modelId":"m"`)
	must.Not(t, s.load(t).Converted, "pi wrote it")
	s.lines[0] = `{"type":"session","id":"s-1","cwd":"/home/dev","timestamp":"2026-01-01T00:00:00.000Z","provider":"p","modelId":"m"}`
	s.lines = s.lines[:2]
	must.Not(t, s.load(t).Converted, "the first version of the format names the model in its header")
}

func TestASessionWithoutCallsCostsNothing(t *testing.T) {
	s := newSession()
	s.user(10)
	r := s.load(t)
	if got := replayed(t, r, None(), "openai"); len(r.Requests) != 0 || got.Bill.Requests() != 0 || got.Requests != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAnEntryThatCannotBeReadEndsLoading(t *testing.T) {
	s, _, _ := two(0)
	s.answer(1)
	tree, _ := s.tree(t)
	_, err := Load(tree, func(n *message.Node) ([]byte, error) { return nil, errGone })
	must.Not(t, err == nil || !strings.Contains(err.Error(), "read entry 00000001: it is gone"), "%v", err)
}

func TestThinKeepsWhatStandsOut(t *testing.T) {
	points := make([]Point, 1000)
	for i := range points {
		points[i] = Point{Request: i + 1, Tokens: 10}
	}
	points[0].Start = session.StartsSession
	points[333].Tokens, points[500].Change, points[501].Change, points[700].Start, points[800].Idle = 99, ChangedWarm, ChangedCold, session.AfterCompaction, true
	got := Thin(points, 10)
	if len(got) != 10 || got[0].Start != session.StartsSession || got[3].Tokens != 99 || got[3].Request != 334 ||
		got[5].Change != ChangedWarm || got[7].Start != session.AfterCompaction || !got[8].Idle || got[9].Idle {
		t.Errorf("%+v", got)
	}
	if got := Thin(points, 1000); len(got) != 1000 {
		t.Errorf("%d points", len(got))
	}
}

func TestPathsInArguments(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"./src/app.ts"}`:                                  "src/app.ts",
		`{"command":"go test ./core/replay/... -run 'X' 2>&1"}`:    "core/replay",
		`{"command":"cat a/b/c.go|grep x.y.z1234567"}`:             "a/b/c.go",
		`{"path":"Makefile"}`:                                      "",
		`{"path":"main.go"}`:                                       "main.go",
		`{"version":"1.234.567"}`:                                  "",
		`{"a":{"b":["/usr/local/lib"]}}`:                           "/usr/local/lib",
		`{"content":"x/y/z/w.go","newText":"a/b/c/d.go"}`:          "",
		`{"old_string":"the/path/in.go it was","path":"in/it.go"}`: "in/it.go",
		`{"path":"src/app.ts"`:                                     "src/app.ts", // cut off
		`7`:                                                        "",
		``:                                                         "",
	} {
		var a arguments
		a.read([]byte(args))
		must.Equal(t, strings.Join(a.paths, " "), want, "%s", args)
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"edits":"[{\"oldText\":\"the longest line of it\"}]","path":"a/b.go"}`))
	f.Add([]byte(`{"input":"*** Begin Patch\n@@\n-gone are the days\n*** End Patch"}`))
	f.Add([]byte(`[[[[{"a":`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a arguments
		a.read(raw)
		for _, p := range a.paths {
			must.Not(t, len(p) < minPath, "%q is too short", p)
		}
		for _, o := range a.old {
			must.Not(t, strings.Contains(o, "\n") || len(o) < minOldLine, "%q is no line", o)
		}
	})
}
