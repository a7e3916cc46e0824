package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func parse(t testing.TB, line string) message.Entry {
	t.Helper()
	var p message.Parser
	e, err := p.ParseEntry([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return e
}

func parseMessage(t testing.TB, raw string) message.Head {
	t.Helper()
	var p message.Parser
	h, err := p.ParseMessage([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return h
}

func TestEveryEntryTypeIsParsed(t *testing.T) {
	const at = `"id":"aa","parentId":"bb","timestamp":"2026-03-02T09:00:00.250Z"`
	base := message.Entry{ID: "aa", ParentID: "bb", Time: 1772442000250, FirstKeptIndex: -1}
	for _, c := range []struct {
		line string
		want func(e *message.Entry)
	}{
		{`{"type":"session","version":3,"cwd":"/w","parentSession":"/p.jsonl",` + at + `}`, func(e *message.Entry) {
			e.Header = &message.Header{ID: "aa", Version: 3, CWD: "/w", Parent: "/p.jsonl", Time: e.Time}
			e.Message.Timestamp = e.Time
		}},
		{`{"type":"session",` + at + `}`, func(e *message.Entry) {
			e.Header = &message.Header{ID: "aa", Version: 1, Time: e.Time}
			e.Message.Timestamp = e.Time
		}},
		{`{"type":"message",` + at + `,"message":{"role":"user","content":"hi","timestamp":5}}`, func(e *message.Entry) {
			e.Message.Role, e.Message.Timestamp, e.Message.Content.Kind, e.Message.Content.Chars = message.RoleUser, 5, message.ContentText, 2
		}},
		{`{"type":"message",` + at + `,"message":{"role":"hookMessage","customType":"x","content":"hi"}}`, func(e *message.Entry) {
			e.Message.Role, e.Message.CustomType, e.Message.Content.Kind, e.Message.Content.Chars = message.RoleCustom, "x", message.ContentText, 2
		}},
		{`{"type":"custom_message","customType":"x","content":"hi","display":true,` + at + `}`, func(e *message.Entry) {
			e.Message.Role, e.Message.CustomType, e.Message.Content.Kind, e.Message.Content.Chars = message.RoleCustom, "x", message.ContentText, 2
			e.Message.Timestamp = e.Time
		}},
		{`{"type":"custom","customType":"x","data":{"content":1},` + at + `}`, func(e *message.Entry) {
			e.Message.CustomType, e.Message.Timestamp = "x", e.Time
		}},
		{`{"type":"compaction","summary":"s","firstKeptEntryId":"cc","tokensBefore":9,` + at + `}`, func(e *message.Entry) {
			e.Message.Role, e.Message.Timestamp, e.FirstKept = message.RoleCompactionSummary, e.Time, "cc"
		}},
		{`{"type":"compaction","summary":"s","firstKeptEntryIndex":7,` + at + `}`, func(e *message.Entry) {
			e.Message.Role, e.Message.Timestamp, e.FirstKeptIndex = message.RoleCompactionSummary, e.Time, 7
		}},
		{`{"type":"branch_summary","summary":"s","fromId":"cc",` + at + `}`, func(e *message.Entry) {
			e.Message.Role, e.Message.Timestamp = message.RoleBranchSummary, e.Time
		}},
		{`{"type":"context_edit","targetId":"cc","replacement":null,` + at + `}`, func(e *message.Entry) {
			e.Target, e.Omits, e.Message.Timestamp = "cc", true, e.Time
		}},
		{`{"type":"context_edit","targetId":"cc","replacement":{"content":"hi"},` + at + `}`, func(e *message.Entry) {
			e.Target, e.Message.Timestamp, e.Message.Content.Kind, e.Message.Content.Chars = "cc", e.Time, message.ContentText, 2
		}},
		{`{"type":"session_info","name":"my work",` + at + `}`, func(e *message.Entry) {
			e.Name, e.Message.Timestamp = "my work", e.Time
		}},
		{`{"type":"label","targetId":"cc","label":"x",` + at + `}`, func(e *message.Entry) {
			e.Target, e.Message.Timestamp = "cc", e.Time
		}},
		{`{"type":"something_new","data":[1],` + at + `}`, func(e *message.Entry) { e.Message.Timestamp = e.Time }},
	} {
		got, want := parse(t, c.line), base
		want.Type = got.Type
		c.want(&want)
		must.Not(t, !strings.Contains(c.line, `"type":"`+string(got.Type)+`"`), "%s: type %q", c.line, got.Type)
		opts := cmp.Options{cmpopts.IgnoreUnexported(message.Entry{}), cmpopts.IgnoreTypes(message.Span{})}
		if diff := cmp.Diff(want, got, opts); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.line, diff)
		}
	}
}

func TestAnAssistantMessageIsMeasured(t *testing.T) {
	raw := `{"role":"assistant","content":[{"type":"thinking","thinking":"hmm😀"},{"type":"text","text":"é"},` +
		`{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.ts"}},{"type":"image","data":"QUJD"},` +
		`{"type":"new"},7,null,"x",[{"type":"text","text":"no"}],{"type":"text","text":5}],` +
		`"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"input":9}},"stopReason":"toolUse","timestamp":1e3}`
	h := parseMessage(t, raw)
	want := message.Head{
		Role: message.RoleAssistant, Timestamp: 1000, Provider: "p", Model: "m", StopReason: "toolUse",
		Usage: message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, HasUsage: true,
		Calls:   []message.Call{{ID: "c1", Name: "read", Arguments: []byte(`{"path":"a.ts"}`)}},
		Content: message.Content{Kind: message.ContentBlocks, Chars: 1, Thinking: 5, Images: 1},
	}
	if diff := cmp.Diff(want, h, cmpopts.IgnoreTypes(message.Span{}), cmpopts.IgnoreFields(message.Content{}, "Blocks")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var texts []string
	for _, b := range h.Content.Blocks {
		texts = append(texts, fmt.Sprintf("%d %s", b.Kind, b.Text.Of([]byte(raw))))
	}
	wantTexts := []string{`3 "hmm😀"`, `1 "é"`, `4 {"path":"a.ts"}`, `2 "QUJD"`, "0 ", "0 ", "0 ", "0 ", "0 ", "1 5"}
	must.Match(t, texts, wantTexts, "blocks")
}

// Holds prune 5.
func TestContentOfAnyKindIsAccepted(t *testing.T) {
	for content, want := range map[string]message.ContentKind{
		`null`: message.ContentMissing, `"s"`: message.ContentText, `[]`: message.ContentBlocks,
		`[1,null,"a",{}]`: message.ContentBlocks, `7`: message.ContentOther, `true`: message.ContentOther, `{"type":"text"}`: message.ContentOther,
	} {
		h := parseMessage(t, `{"role":"user","content":`+content+`}`)
		must.Equal(t, h.Content.Kind, want, "content %s: kind", content)
	}
}

// What JavaScript writes, or wrote once and a strict reader refuses.
func TestOddJSONIsAccepted(t *testing.T) {
	for name, raw := range map[string]string{
		"lone surrogates":  `{"role":"user","content":"\ud83d x \ude00"}`,
		"duplicate names":  `{"role":"assistant","role":"user","content":1,"content":"last"}`,
		"invalid UTF-8":    "{\"role\":\"user\",\"content\":\"a\xff\xfeb\"}",
		"huge numbers":     `{"role":"user","timestamp":1e400,"x":-123456789012345678901234567890}`,
		"nesting":          `{"role":"user","details":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
		"white space":      " \t{ \"role\" : \"user\" } \n",
		"escaped names":    `{"\u0072ole":"user"}`,
		"numbers as flags": `{"role":"user","isError":1,"toolName":2,"usage":3,"content":"x"}`,
	} {
		if h := parseMessage(t, raw); h.Role != message.RoleUser {
			t.Errorf("%s: role %q", name, h.Role)
		}
	}
}

func TestLastOfDuplicateNamesWins(t *testing.T) {
	h := parseMessage(t, `{"content":[{"type":"toolCall","name":"a"}],"content":[{"type":"toolCall","name":"b"}]}`)
	must.Not(t, len(h.Calls) != 1 || h.Calls[0].Name != "b" || h.Content.Blocks[0].Call != 0, "calls %+v", h.Calls)
	e := parse(t, `{"type":"message","message":{"role":"user","content":"x"},"message":null}`)
	must.Not(t, e.Message.Role != "" || e.Body.End != 0, "the first of two messages counts: %+v", e)
	e = parse(t, `{"type":"context_edit","replacement":null,"replacement":{"content":"x"}}`)
	must.Not(t, e.Omits || e.Message.Content.Kind != message.ContentText, "the first of two replacements counts: %+v", e)
}

func TestLinesThatAreNotEntriesAreErrors(t *testing.T) {
	var p message.Parser
	for name, line := range map[string]string{
		"empty": "", "array": "[]", "string": `"x"`, "number": "1", "null": "null", "cut short": `{"type":"message","id":"a`,
		"two values": `{} {}`, "text behind": `{}x`, "byte order mark": "\ufeff{}", "NUL bytes": "\x00\x00\x00",
		"bare name": `{type:1}`, "number as name": `{1:2}`, "comma": `{"a":1,}`, "single quotes": `{'a':1}`,
		"20,000 levels": `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
	} {
		e, err := p.ParseEntry([]byte(line))
		must.Not(t, err == nil || !strings.HasPrefix(err.Error(), "parse entry: "), "%s: error %v", name, err)
		must.Not(t, e.Type != "" || e.ID != "", "%s: half an entry: %+v", name, e)
		if _, err := p.ParseMessage([]byte(line)); err == nil {
			t.Errorf("%s: no error from ParseMessage", name)
		}
	}
	if _, err := p.ParseEntry([]byte("[]")); !errors.Is(err, message.ErrNotObject) {
		t.Errorf("an array: %v", err)
	}
	if e, err := p.ParseEntry([]byte(`{"type":"label","id":"x"}`)); err != nil || e.ID != "x" {
		t.Errorf("the parser does not recover from errors: %+v, %v", e, err)
	}
}

// The members of another type's message must not be taken for an entry's own:
// their spans refer to other bytes.
func TestStrayMembersDoNotReachTheMessage(t *testing.T) {
	const msg = `{"role":"user","content":"right"}`
	stray := strings.Repeat(`"content":"wrong wrong wrong","summary":"wrong","customType":"wrong","replacement":{"content":"wrong"},`, 2)
	for _, line := range []string{
		`{"type":"message",` + stray + `"message":` + msg + `}`,
		`{"message":` + msg + `,` + stray + `"type":"message"}`,
	} {
		e := parse(t, line)
		body := e.Body.Of([]byte(line))
		must.Stop(t, string(body) != msg, "%s: body %s", line, body)
		must.Equal(t, string(e.AppendText(nil, []byte(line))), "right", "%s: text", line)
		must.Equal(t, string(message.AppendWithContent(nil, body, &e.Message, []byte(`"new"`))), `{"role":"user","content":"new"}`, "%s: edited", line)
	}
	line := `{"type":"custom_message","content":"right","message":{"role":"user","content":"wrong"},"replacement":null}`
	e := parse(t, line)
	if got := string(e.AppendText(nil, []byte(line))); got != "right" || e.Omits {
		t.Errorf("%s: text %q, omits %v", line, got, e.Omits)
	}
}

func TestLongArgumentsAreShortened(t *testing.T) {
	long := strings.Repeat("x", 2000)
	raw := `{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"write","arguments":{"path":"a.ts","content":"` + long + `","edits":["` + long + `"],"n":1}}]}`
	h := parseMessage(t, raw)
	var args map[string]any
	must.Do(t, json.Unmarshal(h.Calls[0].Arguments, &args))
	if args["path"] != "a.ts" || args["n"] != 1.0 || args["edits"] != nil || len(args["content"].(string)) != 511 {
		t.Errorf("arguments %s", h.Calls[0].Arguments)
	}
	many := `{"role":"assistant","content":[{"type":"toolCall","arguments":{` + strings.Repeat(`"`+long[:300]+`":"`+long[:300]+`",`, 500) + `"z":1}}]}`
	if n := len(parseMessage(t, many).Calls[0].Arguments); n > 5<<10 {
		t.Errorf("arguments of %d bytes are kept", n)
	}
	list := `{"role":"assistant","content":[{"type":"toolCall","arguments":["` + long + `"]}]}`
	must.Equal(t, string(parseMessage(t, list).Calls[0].Arguments), "{}", "a long list is kept as")
}

func TestTimesAreReadAsJavaScriptReadsThem(t *testing.T) {
	for literal, want := range map[string]int64{
		`"2026-03-02T09:00:00.250Z"`: 1772442000250, `"2026-03-02T10:00:00+01:00"`: 1772442000000,
		`"2026-03-02T09:00:00.2509Z"`: 1772442000250, `1772442000250`: 1772442000250, `1772442000250.75`: 1772442000250,
		`"yesterday"`: 0, `null`: 0, `[]`: 0, `1e400`: 0, `1e300`: 0, `-1e300`: 0,
	} {
		must.Equal(t, parse(t, `{"type":"label","timestamp":`+literal+`}`).Time, want, "timestamp %s", literal)
	}
}

func TestElementsAndMembersReturnTheirSpans(t *testing.T) {
	var p message.Parser
	data := []byte(` [ {"a":1} , "x",[2] ,null ] `)
	spans, err := p.Elements(data)
	var got []string
	for _, s := range spans {
		got = append(got, string(s.Of(data)))
	}
	if diff := cmp.Diff([]string{`{"a":1}`, `"x"`, `[2]`, `null`}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	obj := []byte(` {"a": 1, "b" : {"a":2}, "a" : 3 } `)
	for name, want := range map[string]string{"a": "3", "b": `{"a":2}`, "c": ""} {
		if s, err := p.Member(obj, name); err != nil || string(s.Of(obj)) != want {
			t.Errorf("member %s: %q, %v", name, s.Of(obj), err)
		}
	}
	for _, bad := range []string{"", "{}", "[1", "[1] 2", "[1,]", "null"} {
		if _, err := p.Elements([]byte(bad)); err == nil {
			t.Errorf("Elements(%q): no error", bad)
		}
	}
	for _, bad := range []string{"", "[]", `{"a":1`, `{} 2`} {
		if _, err := p.Member([]byte(bad), "a"); err == nil {
			t.Errorf("Member(%q): no error", bad)
		}
	}
}
