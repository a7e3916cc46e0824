package prune_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// thinkingSession is a session of turns with a thinking response, a call and its result each:
// u0 a0 r0 u1 a1 r1 …, and extra lines after them.
func thinkingSession(turns int, by string, extra ...string) string {
	provider, id, _ := strings.Cut(by, "/")
	lines := []string{`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}`}
	parent := ""
	add := func(id, msg string) {
		lines = append(lines, entry("message", id, parent, `"message":`+msg))
		parent = id
	}
	for i := range turns {
		add(fmt.Sprint("u", i), fmt.Sprintf(`{"role":"user","content":"go on","timestamp":%d}`, 10*i))
		add(fmt.Sprint("a", i), fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":%q,"thinkingSignature":"c2ln"},{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"f%d"}}],"provider":%q,"model":%q,"stopReason":"toolUse","timestamp":%d}`,
			strings.Repeat("t", 400), i, i, provider, id, 10*i+1))
		add(fmt.Sprint("r", i), fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":%q}],"isError":false,"timestamp":%d}`, i, strings.Repeat("x", 4000), 10*i+2))
	}
	return strings.Join(append(lines, extra...), "\n") + "\n"
}

const bound, free = "anthropic/claude-opus-5-5", "anthropic/claude-opus-4-5"

// editOf is a context edit as pi records it.
func editOf(id, parent, target, content string) string {
	return entry("context_edit", id, parent, fmt.Sprintf(`"targetId":%q,"replacement":{"content":%s}`, target, content))
}

// failure is a response with an error.
func failure(id, parent, text string) string {
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":%q,"timestamp":90}`, text))
}

// told decides at the end of a session and returns the entries of its edits.
func told(t *testing.T, text, leaf string, m prune.Moment, p *policy.Planner) prune.Decision {
	t.Helper()
	from := &ports{Session: openText(t, text)}
	m.Session, m.Leaf, m.Now = "s", leaf, 100
	m.Model.Provider, m.Model.ID, _ = strings.Cut(bound, "/")
	return must.Get(prune.Decide(t.Context(), prune.Ports{Session: from.all().Session, Marks: from}, m, prune.Choice{Planner: p}))(t)
}

const marked = `[{"type":"text","text":"[pruned: read f0 (~1000 tok); full text: pictx expand r0]"}]`

func TestThinkingBehindWhatHasChangedIsCleared(t *testing.T) {
	keeps := func(first string) string {
		return entry("compaction", "k", "r3", fmt.Sprintf(`"summary":"so far","firstKeptEntryId":%q,"tokensBefore":9`, first))
	}
	later := strings.Replace(strings.Split(thinkingSession(1, bound), "\n")[2], `"id":"a0","parentId":"u0"`, `"id":"a9","parentId":"r3"`, 1)
	for name, c := range map[string]struct {
		by, leaf string
		extra    []string
		m        prune.Moment
		want     string
	}{
		"nothing has":                           {bound, "r3", nil, prune.Moment{}, ""},
		"an edit of an older pictx":             {bound, "e0", []string{editOf("e0", "r3", "r1", marked)}, prune.Moment{}, "a2 a3"},
		"an edit in the middle of a turn":       {bound, "a9", []string{editOf("e0", "r3", "r1", marked), strings.Replace(later, `"parentId":"r3"`, `"parentId":"e0"`, 1)}, prune.Moment{}, "a2 a3 a9"},
		"an omission":                           {bound, "e0", []string{entry("context_edit", "e0", "r3", `"targetId":"r0","replacement":null`)}, prune.Moment{}, "a1 a2 a3"},
		"a compaction of pi":                    {bound, "k", []string{keeps("u1")}, prune.Moment{}, "a1 a2 a3"},
		"a compaction, and a response since":    {bound, "a9", []string{keeps("u4"), strings.Replace(later, `"parentId":"r3"`, `"parentId":"k"`, 1)}, prune.Moment{}, ""},
		"an edit behind all thinking":           {bound, "e0", []string{editOf("e0", "r3", "r3", marked)}, prune.Moment{}, ""},
		"a model that binds nothing":            {free, "e0", []string{editOf("e0", "r3", "r0", marked)}, prune.Moment{}, ""},
		"a model that nobody knows":             {"corp/llm", "e0", []string{editOf("e0", "r3", "r1", marked)}, prune.Moment{}, "a2 a3"},
		"a refused request":                     {bound, "x", []string{failure("x", "r3", "400 messages.5.content.0: Invalid `signature` in `thinking` block")}, prune.Moment{}, "a0 a1 a2 a3"},
		"a request that failed otherwise":       {bound, "x", []string{failure("x", "r3", "529 overloaded")}, prune.Moment{}, ""},
		"what precedes the conversation":        {bound, "r3", nil, prune.Moment{Unsound: true}, "a0 a1 a2 a3"},
		"a result that is shown again":          {bound, "r3", nil, prune.Moment{Restored: []string{"r1"}}, "a2 a3"},
		"an edit on another branch of the tree": {bound, "r3", []string{editOf("e0", "r2", "r0", marked)}, prune.Moment{}, ""},
	} {
		d := told(t, thinkingSession(4, c.by, c.extra...), c.leaf, c.m, nil)
		if got := ids(d.Tell); got != c.want || !d.OnlyClears() {
			t.Errorf("%s: %q is cleared, want %q", name, got, c.want)
		}
		for _, mark := range d.Tell {
			if strings.Contains(mark.Marker, "thinking") || !strings.Contains(mark.Marker, `"toolCall"`) {
				t.Errorf("%s: %s becomes %s", name, mark.EntryID, mark.Marker)
			}
		}
	}
}

// What is cleared once is not cleared again, and what is thought afterwards stays.
func TestAClearedContextIsValid(t *testing.T) {
	text := thinkingSession(4, bound, editOf("e0", "r3", "r1", marked))
	d := told(t, text, "e0", prune.Moment{}, nil)
	parent := "e0"
	for i, m := range slices.Backward(d.Tell) {
		id := fmt.Sprint("n", i)
		text += editOf(id, parent, m.EntryID, m.Marker) + "\n"
		parent = id
	}
	for i, id := range []string{"a8", "a9"} {
		text += entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"thinking","thinking":"new","thinkingSignature":"c2ln"}],"provider":"anthropic","model":"claude-opus-5-5","stopReason":"stop","timestamp":%d}`, 200+i)) + "\n"
		parent = id
	}
	if again := told(t, text, parent, prune.Moment{}, nil); len(again.Tell) > 0 {
		t.Errorf("cleared again: %s", ids(again.Tell))
	}
}

// At every step of telling them the context is valid: what changes comes after the thinking
// behind it went.
func TestADecisionAndItsClearingAreOne(t *testing.T) {
	d := told(t, thinkingSession(4, bound), "r3", prune.Moment{Boundary: true, Prompt: true, Model: prune.Model{}}, small())
	must.Equal(t, ids(d.Tell), "r0 a1 r1 a2 r2 a3 r3", "what is told, %s", d.Outcome)
	if inTurn := told(t, thinkingSession(4, bound), "r3", prune.Moment{}, small()); len(inTurn.Tell) > 0 {
		t.Errorf("inside a turn %q is told", ids(inTurn.Tell))
	}
}

func TestTheBindingOfTheCallersModelIsThatOfItsResponses(t *testing.T) {
	text := thinkingSession(4, "local/qwen", editOf("e0", "r3", "r1", marked))
	from := &ports{Session: openText(t, text)}
	m := prune.Moment{Session: "s", Leaf: "e0", Model: prune.Model{Provider: "local", ID: "qwen", Binding: token.NotBound}}
	d, err := prune.Decide(t.Context(), prune.Ports{Session: from.all().Session, Marks: from}, m, prune.Choice{})
	must.Not(t, err != nil || len(d.Tell) > 0, "%s is cleared, %v", ids(d.Tell), err)
}

// reports is a response of a request from which a provider left blocks out.
func reports(id, parent, api string, blocks int) string {
	one := `{"type":"thinking_dropped","path":"messages.3.content.0","reason":"prefix_mismatch"}`
	list := strings.TrimSuffix(strings.Repeat(one+",", blocks), ",")
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":"well"}],"api":%q,"provider":"p","model":"m","stopReason":"stop","diagnostics":[{"type":"anthropic_thread_fallback","timestamp":1},{"type":"%s_input_transformations","timestamp":1,"details":{"transformations":[%s]}}],"timestamp":95}`, api, strings.Split(api, "-")[0], list))
}

func TestAReportOfDroppedThinkingAfterADecisionEndsPruning(t *testing.T) {
	const anthropic, openai = "anthropic-messages", "openai-responses"
	decided := entry("custom", "d", "r3", fmt.Sprintf(`"customType":%q,"data":{}`, prune.DecisionEntry))
	for name, c := range map[string]struct {
		extra []string
		want  prune.Dropped
	}{
		"none":                             {[]string{assistant("x", "r3", "m")}, prune.Dropped{}},
		"after a decision":                 {[]string{decided, reports("x", "d", anthropic, 2)}, prune.Dropped{Blocks: 2, Requests: 1, Ours: true}},
		"repeated":                         {[]string{decided, reports("y", "d", anthropic, 2), reports("x", "y", anthropic, 3)}, prune.Dropped{Blocks: 3, Requests: 2, Ours: true}},
		"without a decision":               {[]string{reports("x", "r3", anthropic, 2)}, prune.Dropped{Blocks: 2, Requests: 1}},
		"a decision that changed nothing":  {[]string{reports("y", "r3", anthropic, 2), strings.Replace(decided, `"parentId":"r3"`, `"parentId":"y"`, 1), reports("x", "d", anthropic, 2)}, prune.Dropped{Blocks: 2, Requests: 2}},
		"long after a decision":            {[]string{decided, assistant("y", "d", "m"), reports("x", "y", anthropic, 2)}, prune.Dropped{Blocks: 2, Requests: 1}},
		"reasoning that cannot be cleared": {[]string{decided, reports("x", "d", openai, 4)}, prune.Dropped{Blocks: 4, Requests: 1}},
		"more reasoning than there was":    {[]string{decided, reports("x", "d", openai, 5)}, prune.Dropped{Blocks: 5, Requests: 1, Ours: true}},
	} {
		d := told(t, thinkingSession(4, bound, c.extra...), "x", prune.Moment{Boundary: true, Prompt: true}, small())
		must.Equal(t, d.Dropped, c.want, "%s", name)
		if pruned := !d.OnlyClears(); pruned == c.want.Ours {
			t.Errorf("%s: pruned %v", name, pruned)
		}
	}
}

func TestUndoBringsEverythingBackButThinkingThatWouldBeInvalid(t *testing.T) {
	cleared := func(i int) string {
		return fmt.Sprintf(`[{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"f%d"}}]`, i, i)
	}
	text := thinkingSession(4, bound, editOf("e0", "r3", "a3", cleared(3)), editOf("e1", "e0", "a2", cleared(2)), editOf("e2", "e1", "r1", strings.ReplaceAll(marked, "f0", "f1")))
	b := branchOf(t, openText(t, text), "e2", nil)
	for _, c := range []struct {
		all  bool
		want string
	}{{false, "a3 a2 r1"}, {true, "a3 a2 r1 a1 a0"}} {
		back := must.Get(b.Undo(prune.Model{Provider: "anthropic", ID: "claude-opus-5-5"}, c.all))(t)
		var got []string
		for _, o := range back {
			got = append(got, o.EntryID)
			if s := string(o.Content); strings.Contains(s, "thinking") || strings.Contains(s, "pruned") || o.Cleared == (o.EntryID == "r1") {
				t.Errorf("%s becomes %s", o.EntryID, s)
			}
		}
		must.Not(t, strings.Join(got, " ") != c.want, "all %v: %q, want %q", c.all, got, c.want)
	}
	untouched := branchOf(t, openText(t, thinkingSession(4, bound)), "r3", nil)
	if back, err := untouched.Undo(prune.Model{}, false); err != nil || len(back) > 0 {
		t.Errorf("%+v, %v", back, err)
	}
	b = branchOf(t, openText(t, thinkingSession(4, free, editOf("e0", "r3", "a1", cleared(1)))), "e0", nil)
	back, err := b.Undo(prune.Model{}, false)
	must.Not(t, err != nil || len(back) != 1 || !strings.Contains(string(back[0].Content), "thinking"), "of a model that binds nothing: %+v, %v", back, err)
}
