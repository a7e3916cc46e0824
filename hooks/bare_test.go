package hooks_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// planOf is what plans a bare event.
type planOf = func([]policy.Message) policy.Plan

// eager prunes every result that may be pruned at all.
func eager() planOf { return policy.NewSeed(policy.SeedSettings{}).Plan }

// bare filters an event.
func bare(plan planOf, event, in string) (string, policy.Plan, error) {
	out, made, err := hooks.Bare(context.Background(), event, []byte(in), plan)
	return string(out), made, err
}

// odd is what a JSON library would not give back as it was.
const odd = " \n{ \"type\" : \"context\",\"\\u0078\":[1e400,-0.0,1.10,\"\\ud800\\/\\u00e9\",\"\xff\"],\"a\":1,\"a\":2,\n\t\"messages\" : %s , \"z\":{}}\r\n "

const (
	assistant = `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a.go"}}],"x":1e400}`
	resultA   = `{ "x":"\ud800", "role":"toolResult","toolCallId":"c","toolName":"read","content": [{"type":"text","text":"aaaaaaaa"}] ,"details":{"k":1.0},"isError":false }`
	prunedA   = `{ "x":"\ud800", "role":"toolResult","toolCallId":"c","toolName":"read","content": [{"type":"text","text":"[output pruned — ~2 tokens | read path=\"a.go\"]"}] ,"details":{"k":1.0},"isError":false }`
)

func oddEvent(messages string) string { return strings.Replace(odd, "%s", messages, 1) }

// Holds prune 1, 2, 30.
func TestOnlyThePrunedContentChanges(t *testing.T) {
	in := oddEvent("[ " + assistant + ",\n null," + resultA + " ,7,{}]")
	want := oddEvent("[ " + assistant + ",\n null," + prunedA + " ,7,{}]")
	got, plan, err := bare(eager(), hooks.EventContext, in)
	if err != nil {
		t.Fatal(err)
	}
	must.Match(t, got, want, "what differs")
	must.Not(t, !plan.Acted, "plan %+v", plan)
	again, _, _ := bare(eager(), hooks.EventContext, got)
	must.Not(t, again != got, "the output changes when it goes through again")
}

// Holds prune 4, 5.
func TestEventsWithNothingToPrunePassThrough(t *testing.T) {
	for name, c := range map[string]struct{ event, in string }{
		"another event":              {"tool_result", oddEvent("[" + resultA + "]")},
		"an unknown event":           {"later", oddEvent("[" + resultA + "]")},
		"no event":                   {"", "{}"},
		"no messages":                {hooks.EventContext, `{"type":"context"}`},
		"messages that are no array": {hooks.EventContext, oddEvent(`{"0":` + resultA + `}`)},
		"messages that are null":     {hooks.EventContext, oddEvent("null")},
		"an empty list":              {hooks.EventContext, oddEvent("[ ]")},
		"no objects":                 {hooks.EventContext, oddEvent(`[null,1,"x",[` + resultA + `],true]`)},
		"messages further in":        {hooks.EventContext, `{"x":{"messages":[` + resultA + `]}}`},
		"a v further in":             {hooks.EventContext, `{"x":{"v":1}}`},
		"a v further on":             {hooks.EventContext, `{"type":"context","messages":[],"v":"x"}`},
		"messages hidden by a later": {hooks.EventContext, `{"messages":[` + resultA + `],"messages":null}`},
		"content that is none":       {hooks.EventContext, oddEvent(`[{"role":"toolResult","content":null},{"role":"toolResult"},{"role":"toolResult","content":3}]`)},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := bare(eager(), c.event, c.in)
			must.Not(t, err != nil || got != c.in, "error %v\ngot  %q\nwant %q", err, got, c.in)
		})
	}
}

func TestTheLastOfRepeatedMembersCountsAsInJavaScript(t *testing.T) {
	in := `{"messages":[` + resultA + `],"m\u0065ssages":[` + assistant + "," + resultA + `]}`
	want := `{"messages":[` + resultA + `],"m\u0065ssages":[` + assistant + "," + prunedA + `]}`
	got, _, err := bare(eager(), hooks.EventContext, in)
	must.Not(t, err != nil || got != want, "error %v\ngot  %q\nwant %q", err, got, want)
}

// Holds prune 10.
func TestUnreadableInputGetsNoAnswer(t *testing.T) {
	good := `{"type":"context","messages":[` + resultA + `]}`
	for name, c := range map[string]struct{ in, err string }{
		"empty":            {"", "the input is empty"},
		"white space":      {" \n", "the input is empty"},
		"truncated":        {good[:len(good)-30], "the input ends too early"},
		"one byte short":   {good[:len(good)-1], "the input ends too early"},
		"no comma":         {`{"a":1 "b":2}`, "at byte 7"},
		"trailing garbage": {good + "x", "at byte"},
		"two events":       {good + good, "text after the value"},
		"an array":         {"[" + good + "]", "not a JSON object"},
		"a string":         {`"context"`, "not a JSON object"},
		"not JSON":         {"context", "at byte"},
		"byte order mark":  {"\xef\xbb\xbf" + good, "at byte"},
		"too deep":         {`{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "depth"},
	} {
		for _, event := range []string{hooks.EventContext, "turn_end"} {
			got, _, err := bare(eager(), event, c.in)
			must.Not(t, got != "" || !errors.Is(err, hooks.ErrUnreadable) || !strings.Contains(err.Error(), c.err), "%s: got %q, error %v", name, got, err)
			must.Not(t, err != nil && !strings.HasPrefix(err.Error(), "read event: event is unreadable: "), "%s: error %v", name, err)
		}
	}
}

func TestARequestBeginsWithItsVersion(t *testing.T) {
	for in, want := range map[string]bool{
		`{"v":1,"event":"context"}`: true, " {\n\"v\" : null}": true, `{"v":1,`: true, `{"type":"context","v":1}`: false,
		`{"x":{"v":1}}`: false, "{}": false, "": false, `"v"`: false, `["v"]`: false,
	} {
		must.Equal(t, hooks.IsRequest([]byte(in)), want, "%s: a request", in)
	}
}

func TestAFaultInPlanningPassesTheEventThrough(t *testing.T) {
	in := oddEvent("[" + assistant + "," + resultA + "]")
	plan := func(edits ...policy.Edit) func([]policy.Message) policy.Plan {
		return func([]policy.Message) policy.Plan { return policy.Plan{Acted: true, Edits: edits} }
	}
	for name, c := range map[string]struct {
		plan func([]policy.Message) policy.Plan
		err  string
	}{
		"a panic":                {func([]policy.Message) policy.Plan { panic("oh") }, "plan context: internal error: oh"},
		"an edit out of range":   {plan(policy.Edit{Index: 2}), "plan context: internal error: runtime error: index out of range"},
		"edits out of order":     {plan(policy.Edit{Index: 1}, policy.Edit{Index: 1}), "slice bounds out of range"},
		"an edit of no result":   {plan(policy.Edit{Index: 0}), "no content of a tool result"},
		"an edit below the list": {plan(policy.Edit{Index: -1}), "index out of range"},
	} {
		got, made, err := bare(c.plan, hooks.EventContext, in)
		if got != in || err == nil || !strings.Contains(err.Error(), c.err) || errors.Is(err, hooks.ErrUnreadable) || made.Acted {
			t.Errorf("%s: got %q, error %v, plan %+v", name, got, err, made)
		}
	}
}

// Holds prune 12.
func TestALatePlanPassesTheEventThrough(t *testing.T) {
	in := oddEvent("[" + assistant + "," + resultA + "]")
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	slow := func(m []policy.Message) policy.Plan {
		cancel()
		<-release
		return eager()(m)
	}
	for _, plan := range []planOf{slow, eager()} { // the second time ctx is done from the start
		out, made, err := hooks.Bare(ctx, hooks.EventContext, []byte(in), plan)
		must.Not(t, !errors.Is(err, hooks.ErrLate) || made.Acted || string(out) != in, "got %q, error %v, plan %+v", out, err, made)
	}
	if out, _, err := hooks.Bare(ctx, hooks.EventContext, []byte(in[:40]), eager()); err == nil || len(out) > 0 {
		t.Errorf("a late torn event: got %q, error %v", out, err)
	}
}

// The events that pi 0.73, 0.87 and 1.5 really send, compact as an extension
// serialises them.
func TestRecordedEvents(t *testing.T) {
	files, err := filepath.Glob("../testdata/hook/*.json")
	must.Stop(t, err != nil || len(files) == 0, "no recorded events: %v", err)
	edited := 0
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		name, _, _ := strings.Cut(filepath.Base(file), "-")
		if got, _, err := bare(seedPlanner().Plan, name, string(data)); err != nil || got != string(data) {
			t.Errorf("%s is changed by the default settings: %v", file, err)
		}
		got, made, err := bare(eager(), name, string(data))
		must.Not(t, err != nil, "%s: %v", file, err)
		must.Not(t, name != hooks.EventContext && got != string(data), "%s is changed", file)
		checkMessages(t, data, []byte(got), made)
		edited += len(made.Edits)
	}
	must.Not(t, edited == 0, "no recorded event was changed by the eager settings: the test tests nothing")
}

// parts takes an event apart: what is between the messages, and the messages.
func parts(t testing.TB, data []byte) (frame []byte, messages [][]byte) {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewBuffer(bytes.Clone(data)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	start, last := 0, 0
	var spans [][2]int
	must := func(err error) {
		must.Stop(t, err != nil, "the output is broken: %v\n%q", err, data)
	}
	_, err := d.ReadToken()
	must(err)
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		must(err)
		if name.String() != "messages" {
			must(d.SkipValue())
			continue
		}
		spans = nil
		if d.PeekKind() != jsontext.KindBeginArray {
			must(d.SkipValue())
			continue
		}
		_, err = d.ReadToken()
		must(err)
		for d.PeekKind() != jsontext.KindEndArray {
			v, err := d.ReadValue()
			must(err)
			end := int(d.InputOffset())
			spans = append(spans, [2]int{end - len(v), end})
		}
		_, err = d.ReadToken()
		must(err)
	}
	for _, s := range spans {
		start = s[0]
		frame = append(append(frame, data[last:start]...), 0)
		messages = append(messages, data[s[0]:s[1]])
		last = s[1]
	}
	return append(frame, data[last:]...), messages
}

// checkMessages checks that only the content of the messages a plan names is
// different.
func checkMessages(t testing.TB, in, out []byte, made policy.Plan) {
	t.Helper()
	if !made.Acted {
		must.Not(t, !bytes.Equal(in, out), "changed without a plan")
		return
	}
	frameIn, before := parts(t, in)
	frameOut, after := parts(t, out)
	must.Stop(t, !bytes.Equal(frameIn, frameOut) || len(before) != len(after), "more than messages changed")
	for _, e := range made.Edits {
		var p message.Parser
		h := must.Get(p.ParseMessage(before[e.Index]))(t)
		before[e.Index] = message.AppendWithContent(nil, before[e.Index], &h, e.Content())
	}
	for i := range before {
		must.Not(t, !bytes.Equal(before[i], after[i]), "message %d is not as planned:\n%q\n%q", i, before[i], after[i])
	}
}

func FuzzFilter(f *testing.F) {
	f.Add([]byte(oddEvent("["+assistant+","+resultA+"]")), hooks.EventContext)
	f.Add([]byte(`{"messages":[{}],"messages":[`+resultA+`]}`), hooks.EventContext)
	f.Add([]byte(`{"messages":[{"role":"toolResult","content":"x","content":[]}]}`), hooks.EventContext)
	f.Add([]byte(`{"v":1}`), "turn_end")
	f.Add([]byte(`{"a":`), hooks.EventContext)
	f.Fuzz(func(t *testing.T, data []byte, event string) {
		out, made, err := hooks.Bare(context.Background(), event, data, eager())
		switch {
		case err != nil:
			must.Not(t, !errors.Is(err, hooks.ErrUnreadable) || len(out) > 0, "error %v, returned %q", err, out)
		case event != hooks.EventContext:
			must.Not(t, !bytes.Equal(data, out), "an event %q is changed", event)
		default:
			checkMessages(t, data, out, made)
		}
	})
}
