package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/hooks/recall"
	"github.com/coctostan/pictx/internal/must"
)

// schema compiles one of the two schemas.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	return must.Get(jsonschema.NewCompiler().Compile("schema/v1/" + name + ".json"))(t)
}

func valid(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	v := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	return s.Validate(v)
}

// allEvents are the events that a request may be of, in the order of the protocol's page.
func allEvents() []string {
	return append(hooks.PiEvents(), hooks.EventTool, hooks.EventCommand, hooks.EventComplete)
}

func TestEveryListHasTheSameEvents(t *testing.T) {
	list := regexp.MustCompile(`(?s)"event": \{\s*"enum": \[(.*?)\]|"(?:wants|background)": \{.*?"enum": \[(.*?)\]|"timeouts": \{.*?"properties": \{(.*?)"tool":|const EVENTS = \[(.*?)\]|\| event \| payload \| result \|(.*?)\n\n`)
	name := regexp.MustCompile("(?m)^(?: *\"([a-z_]+)\"|\\| `([a-z_]+)`)")
	pi, all := hooks.PiEvents(), allEvents()
	for file, want := range map[string][][]string{
		"schema/v1/request.json": {all}, "schema/v1/README.md": {all}, "schema/v1/reply.json": {pi, pi, pi}, "pi/extension/index.ts": {pi},
	} {
		var got [][]string
		for _, f := range list.FindAllStringSubmatch(string(read(t, file)), -1) {
			var names []string
			for _, m := range name.FindAllStringSubmatch(strings.Join(f[1:], ""), -1) {
				names = append(names, m[1]+m[2])
			}
			got = append(got, names)
		}
		must.Match(t, got, want, "%s", file)
	}
}

// examples are the events of the protocol with their worked examples.
func examples(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, e := range allEvents() {
		out[e] = filepath.Join("..", "testdata", "hook", e)
	}
	return out
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(parts...)))(t)
}

// same compares two JSON texts by their values. What is false may be left out.
func same(t *testing.T, want, got []byte) string {
	t.Helper()
	var a, b any
	must.Do(t, json.Unmarshal(want, &a))
	must.Do(t, json.Unmarshal(got, &b))
	isFalse := func(_ string, v any) bool { return v == false }
	return cmp.Diff(a, b, cmpopts.IgnoreMapEntries(isFalse))
}

func TestEveryEventHasAWorkedExampleThatTheSchemasAllow(t *testing.T) {
	request, reply := schema(t, "request"), schema(t, "reply")
	for event, dir := range examples(t) {
		in := read(t, dir, "in.json")
		if err := valid(t, request, in); err != nil {
			t.Errorf("%s/in.json: %v", dir, err)
		}
		if err := valid(t, reply, read(t, dir, "out.json")); err != nil {
			t.Errorf("%s/out.json: %v", dir, err)
		}
		if r, err := hooks.Parse(in); err != nil || r.Event != event {
			t.Errorf("%s/in.json is a %s: %v", dir, r.Event, err)
		}
	}
}

// What Go reads of a payload is in the schema, and what it writes of a reply is all there is in
// the examples: a member that was misspelt would be missing.
func TestGoKnowsTheMembersOfTheExamples(t *testing.T) {
	known := names(t, "schema/v1/request.json")
	for _, payload := range []any{
		hooks.BeforeAgent{SystemPrompt: new("")},
		hooks.ContextKeys{Keys: []hooks.MessageKey{{}}},
		hooks.ToolResult{},
		hooks.ToolCalled{},
		hooks.CacheWarming{},
		hooks.BeforeCompact{},
		hooks.ToolCall{},
		hooks.Command{},
		hooks.Completion{},
	} {
		written := must.Get(jsonv2.Marshal(payload))(t)
		for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllSubmatch(written, -1) {
			must.Not(t, !slices.Contains(known, string(m[1])), "%T reads %q, which no event has", payload, m[1])
		}
	}
	strict := jsonv2.RejectUnknownMembers(true)
	for _, dir := range examples(t) {
		out := read(t, dir, "out.json")
		var reply hooks.Reply
		if err := jsonv2.Unmarshal(out, &reply, strict); err != nil {
			t.Errorf("%s/out.json: %v", dir, err)
			continue
		}
		written := must.Get(jsonv2.Marshal(reply))(t)
		diff := same(t, out, written)
		must.Not(t, diff != "", "%s/out.json is written differently:\n%s", dir, diff)
	}
}

// Every member that the schema allows in a result, an effect or an ask is one
// that Go can write.
func TestGoCanWriteEverythingTheReplySchemaNames(t *testing.T) {
	text := "t"
	yes := true
	full := hooks.Reply{
		ID: "1", State: []byte(`{}`), Next: &hooks.Next{Context: hooks.ContextSkip, IdleMS: 5}, Active: []string{"a"}, Error: "e",
		Result: &hooks.Result{
			Edits:  []hooks.ContextEdit{{Index: new(int), Content: []byte(`"x"`)}, {EntryID: "a", Content: []byte(`[]`)}},
			Insert: []hooks.Insert{{Before: []byte(`"end"`), Message: []byte(`{"role":"user"}`)}},
			Entries: []hooks.Entry{
				hooks.EditEntry("a", []byte(`"x"`)),
				{Type: "context_edit", TargetID: "b", Replacement: []byte("null")},
				hooks.CustomEntry("c", 1),
				{Type: "custom_message", CustomType: "c", Content: []byte(`"x"`), Display: &yes, Details: 1},
				{Type: "compaction", Summary: "s", FirstKeptID: []byte("null"), Details: 1, Usage: []byte(`{}`)},
			},
			Message:    &hooks.CustomMessage{CustomType: "c", Content: []byte(`"x"`), Display: true, Details: 1},
			Cancel:     true,
			Compaction: &hooks.Compaction{Summary: "s", FirstKeptID: "a", TokensBefore: 1, TokensAfter: 1, Usage: []byte(`{}`), Details: 1},
			Content:    []byte(`[{"type":"image","image":0}]`), Details: 1, IsError: &yes, Block: true, Action: hooks.ActionWarm, Text: "t", Error: "e", Show: "widget", Level: "info",
			Items: []hooks.CompletionItem{{Value: "v", Label: "l", Description: "d"}},
		},
		Effects: []hooks.Effect{
			hooks.Notify("t", "warning"), hooks.Status("k", "t"), hooks.Status("k", ""),
			{Type: "widget", Key: "k", Lines: []string{"a"}},
			{Type: "widget", Key: "k"},
			{Type: "message", Message: &hooks.CustomMessage{CustomType: "c", Content: []byte(`"x"`)}, TriggerTurn: true, DeliverAs: "steer"},
			hooks.SendMessage(hooks.CustomMessage{CustomType: "c", Content: []byte(`[]`)}),
			{Type: "widget", Key: "k", Lines: []string{"a"}, Placement: "belowEditor"},
			hooks.AppendEntry("c", 1),
			{Type: "label", EntryID: "a", Label: &text},
			{Type: "label", EntryID: "a"},
			hooks.Compact("i"), hooks.Compact(""),
		},
		Ask: []hooks.Ask{
			{ID: "1", Kind: hooks.AskConfirm, Title: "t", Message: "m", TimeoutMS: 1},
			{ID: "2", Kind: hooks.AskSelect, Title: "t", Options: []hooks.Option{{Value: "v", Label: "l", Description: "d"}}, TimeoutMS: 1},
			{ID: "3", Kind: hooks.AskMultiselect, Title: "t", Options: []hooks.Option{{Value: "v", Label: "l", Selected: true}}},
			{ID: "4", Kind: hooks.AskInput, Title: "t", Placeholder: "p", Initial: "i", Multiline: true},
			{ID: "5", Kind: hooks.AskComplete, Models: []string{"session"}, System: "s", Prompt: "p", MaxTokens: 1},
		},
	}
	data := must.Get(jsonv2.Marshal(full))(t)
	err := valid(t, schema(t, "reply"), data)
	must.Not(t, err != nil, "%v\n%s", err, data)
	written := string(data)
	for _, name := range names(t, "schema/v1/reply.json") {
		must.Not(t, name != "hello" && !slices.Contains(helloNames(), name) && !strings.Contains(written, `"`+name+`":`), "Go does not write %q", name)
	}
}

// helloNames are the members that only hello has.
func helloNames() []string {
	out := []string{
		"v", "version", "wants", "background", "timeouts", "tools", "name", "parameters", "commands", "role", "suspect",
	}
	return append(out, allEvents()...)
}

// names lists the property names of a schema.
func names(t *testing.T, file string) []string {
	t.Helper()
	var doc any
	must.Do(t, json.Unmarshal(read(t, file), &doc))
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if props, ok := v["properties"].(map[string]any); ok {
				for name := range props {
					out = append(out, name)
				}
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	return out
}

func TestSchemasRefuseWhatTheProtocolDoesNotKnow(t *testing.T) {
	for _, c := range [][2]string{
		{"request", `{"v":1,"event":"context","cwd":"/w","session":{"id":"s"},"payload":{"keys":[{"i":0,"role":"user","content":"text"}]}}`},
		{"request", `{"v":1,"event":"tool_result","cwd":"/w","session":{"id":"s"},"payload":{"toolName":"a","toolCallId":"b","content":[{"type":"image","data":"x"}],"isError":false}}`},
		{"request", `{"v":1,"event":"message_update","cwd":"/w","session":{"id":"s"},"payload":{}}`},
		{"reply", `{"result":{"edits":[{"index":0,"entryId":"a","content":"x"}]}}`},
		{"reply", `{"result":{"edits":[{"content":"x"}]}}`},
		{"reply", `{"effects":[{"type":"shell","command":"rm"}]}`},
		{"reply", `{"result":{"unknown":1}}`},
		{"reply", `{"ask":[{"id":"a","kind":"guess","title":"t"}]}`},
	} {
		must.Not(t, valid(t, schema(t, c[0]), []byte(c[1])) == nil, "%s allows %s", c[0], c[1])
	}
}

func TestHelloIsAsTheSchemaSaysAndAsTheToolsFiles(t *testing.T) {
	for tools, c := range map[string]struct {
		systems  []hooks.System
		commands int
	}{
		"recall/tools.json": {[]hooks.System{recall.History{}, hooks.Prune{}}, 5},
		"code/tools.json":   {[]hooks.System{kota(&codebase{})}, 1},
	} {
		d, _ := dispatcher(t, c.systems...)
		var out bytes.Buffer
		must.Do(t, d.Serve(context.Background(), "/w", nil, strings.NewReader(""), &out))
		must.Do(t, valid(t, schema(t, "reply"), out.Bytes()))
		var hello struct {
			Hello struct {
				Tools    json.RawMessage
				Commands []struct{ Name string }
				Timeouts struct{ Tool map[string]int }
			}
		}
		var file struct{ Tools json.RawMessage }
		var declared []struct{ Name string }
		must.Do(t, errors.Join(json.Unmarshal(out.Bytes(), &hello), json.Unmarshal(read(t, tools), &file), json.Unmarshal(file.Tools, &declared)))
		must.Equal(t, same(t, file.Tools, hello.Hello.Tools), "", "%s", tools)
		must.Equal(t, len(hello.Hello.Commands), c.commands, "commands beside %s", tools)
		must.Equal(t, len(hello.Hello.Timeouts.Tool), len(declared), "time limits of tools in %s", tools)
	}
}

// What is off declares nothing to the model.
func TestHistoryThatIsOffDeclaresNothing(t *testing.T) {
	d, _ := dispatcher(t, recall.History{})
	d.World = &world{settings: []string{"PICTX_HISTORY_ENABLED=false"}}
	h, err := d.Hello("/w", nil)
	if err != nil || len(h.Tools) > 0 || len(h.Wants) != 2 { // the end of a run and of the session
		t.Errorf("%+v, %v", h, err)
	}
}
