package message_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func TestTextAndBodyOfEveryRole(t *testing.T) {
	msg := func(m string) string { return `{"type":"message","id":"a","message":` + m + `}` }
	for _, c := range []struct{ name, line, text, body string }{
		{"user string", msg(`{"role":"user","content":"a\nb"}`), "a\nb", "a\nb"},
		{"user blocks", msg(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"QQ=="},{"type":"text","text":"b"}],"role":"user"}`), "a\n[image]\nb", "a\n[image]\nb"},
		{
			"assistant", msg(`{"role":"assistant","content":[{"type":"thinking","thinking":"no"},{"type":"text","text":"I read"},{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"a\nb \"c\""}}]}`),
			"I read\n[tool: bash({\"command\":\"a\nb \"c\"\"})]", "I read\n[tool: bash({\"command\":\"a\nb \"c\"\"})]",
		},
		{"call without arguments", msg(`{"role":"assistant","content":[{"type":"toolCall","name":"ls"}]}`), "[tool: ls()]", "[tool: ls()]"},
		{"tool result", msg(`{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"x=1"}]}`), "[read] x=1", "x=1"},
		{"bash", msg(`{"role":"bashExecution","command":"ls","output":"a\nb","excludeFromContext":true}`), "$ ls\na\nb", "a\nb"},
		{"custom in a message", msg(`{"role":"custom","customType":"n","content":"c"}`), "c", "c"},
		{"hook message", msg(`{"role":"hookMessage","content":"c"}`), "c", "c"},
		{"system", msg(`{"role":"system","content":"be brief","sections":{"a":"b"}}`), "be brief", "be brief"},
		{"summary as a message", msg(`{"role":"compactionSummary","summary":"so far"}`), "so far", "so far"},
		{"unknown role", msg(`{"role":"new","content":"c"}`), "", ""},
		{"no content", msg(`{"role":"user"}`), "", ""},
		{"no message", `{"type":"message","id":"a"}`, "", ""},
		{"message is a string", msg(`"x"`), "", ""},
		{"text is a number", msg(`{"role":"user","content":[{"type":"text","text":5},{"type":"text"}]}`), "", ""},
		{"custom message", `{"type":"custom_message","content":[{"type":"text","text":"c"}],"customType":"n"}`, "c", "c"},
		{"branch summary", `{"type":"branch_summary","summary":"left \u00e9"}`, "left é", "left é"},
		{"compaction", `{"type":"compaction","summary":"so far","systemMessage":{"content":"no"}}`, "so far", "so far"},
		{"session name", `{"type":"session_info","name":"my work"}`, "my work", "my work"},
		{"context edit", `{"type":"context_edit","targetId":"a","replacement":{"content":"shorter"}}`, "", ""},
		{"state", `{"type":"custom","customType":"n","data":{"text":"no"}}`, "", ""},
		{"unknown type", `{"type":"new","id":"no","content":"a","notes":[{"b":"b"},5]}`, "a\nb", "a\nb"},
		{"label", `{"type":"label","id":"no","parentId":"no","timestamp":"no","targetId":"no","label":"here"}`, "here", "here"},
		{"model", `{"type":"model_change","provider":"no","modelId":"no"}`, "", ""},
	} {
		e := parse(t, c.line)
		got := []string{string(e.AppendText([]byte(">"), []byte(c.line))), string(e.AppendBody([]byte(">"), []byte(c.line)))}
		must.Match(t, got, []string{">" + c.text, ">" + c.body}, "%s: text and body", c.name)
	}
}

// Holds prune 1.
func TestWhatAMessageSaysLeavesOutThinkingCallsAndImages(t *testing.T) {
	for _, c := range []struct{ name, message, want string }{
		{"string", `{"role":"assistant","content":"a \u00e9"}`, "a é"},
		{"blocks", `{"role":"assistant","content":[{"type":"thinking","thinking":"no"},{"type":"text","text":"a"},{"type":"toolCall","id":"1","name":"bash","arguments":{}},{"type":"image","data":"QQ=="},{"type":"text","text":"b\nc"}]}`, "a\nb\nc"},
		{"no content", `{"role":"assistant"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := `{"type":"message","id":"a","message":` + c.message + `}`
			e := parse(t, line)
			must.Equal(t, e.Message.Text(e.Body.Of([]byte(line))), c.want, "got")
		})
	}
}

func TestAppendWithContentKeepsEveryOtherByte(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"string", `{"role":"user","content":"x","timestamp":1e400}`, `{"role":"user","content":NEW,"timestamp":1e400}`},
		{"array", `{"content":[{"type":"text","text":"x"}],"z":"\ud83d"}`, `{"content":NEW,"z":"\ud83d"}`},
		{"null", `{"content":null}`, `{"content":NEW}`},
		{"other", `{"content":{"a":1},"b":2}`, `{"content":NEW,"b":2}`},
		{"duplicates", `{"content":"a","role":"user","content":"b","x":1}`, `{"content":"a","role":"user","content":NEW,"x":1}`},
		{"missing", `{"role":"user"}`, `{"role":"user","content":NEW}`},
		{"missing, white space", "{ \"role\" : \"user\" \n} ", "{ \"role\" : \"user\" \n,\"content\":NEW} "},
		{"empty", `{}`, `{"content":NEW}`},
		{"empty, white space", " { \t} ", " { \t\"content\":NEW} "},
		{"white space before", " \n{\"content\": \"x\" }", " \n{\"content\": NEW }"},
	} {
		h := parseMessage(t, c.raw)
		const content = `[{"type":"text","text":"new"}]`
		got := string(message.AppendWithContent([]byte(">"), []byte(c.raw), &h, []byte(content)))
		if want := ">" + strings.ReplaceAll(c.want, "NEW", content); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
		if again := parseMessage(t, got[1:]); string(again.Content.Span.Of([]byte(got[1:]))) != content {
			t.Errorf("%s: the new content is not found again", c.name)
		}
	}
}

func TestAppendQuoteQuotesAsJavaScriptDoes(t *testing.T) {
	for text, want := range map[string]string{
		"a\"b\\c/d": `"a\"b\\c/d"`, "<&>": `"<&>"`, "\b\f\n\r\t": `"\b\f\n\r\t"`, "\x01\x1f\x7f": "\"\\u0001\\u001f\x7f\"",
		"\u2028é😀": "\"\u2028é😀\"", "a\xffb": "\"a\ufffdb\"",
	} {
		must.Equal(t, string(message.AppendQuote(nil, text)), want, "AppendQuote(%q)", text)
	}
	must.Equal(t, string(message.TextContent("a\nb")), `[{"type":"text","text":"a\nb"}]`, "TextContent")
}

func TestUnquoteIsLenient(t *testing.T) {
	for literal, want := range map[string]string{
		`"a\u0041\n\/"`: "aA\n/", `"\ud83d\ude00"`: "😀", `"\ud83dx"`: "\ufffdx", "\"\xffé\"": "\ufffdé", `5`: "", `"`: "", ``: "", `{"a":1}`: "",
	} {
		must.Equal(t, message.Unquote([]byte(literal)), want, "Unquote(%s)", literal)
	}
}

func FuzzParseMessage(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"role":"user","content":"x"}`, ` {"content":[{"type":"toolCall","arguments":{"a":"\ud83d"}}],"content":null} `,
		`{"role":"bashExecution","command":"a","output":"b"}`, `{"role":"toolResult","content":[1,{"type":"text","text":2}]}`,
	} {
		f.Add([]byte(s), []byte(`"new"`))
	}
	f.Fuzz(func(t *testing.T, raw, content []byte) {
		var p message.Parser
		before := bytes.Clone(raw)
		h, err := p.ParseMessage(raw)
		must.Stop(t, !bytes.Equal(raw, before), "parsing changed its input")
		if err != nil || !json.Valid(content) {
			return
		}
		content = bytes.TrimSpace(content)
		edited := message.AppendWithContent(nil, raw, &h, content)
		again, err := p.ParseMessage(edited)
		if err != nil {
			t.Fatalf("%q with content %q is %q: %v", raw, content, edited, err)
		}
		if got := again.Content.Span.Of(edited); !bytes.Equal(got, content) {
			t.Fatalf("%q with content %q reads back as %q", raw, content, got)
		}
		if s := h.Content.Span; s.End > 0 {
			if back := message.AppendWithContent(nil, edited, &again, s.Of(raw)); !bytes.Equal(back, raw) {
				t.Fatalf("%q comes back as %q", raw, back)
			}
		}
	})
}

func FuzzParseEntry(f *testing.F) {
	for _, s := range bytes.SplitAfter(randomSession(1, 3, 60), []byte("\n")) {
		f.Add(bytes.TrimSpace(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var p message.Parser
		e, err := p.ParseEntry(line)
		if err != nil {
			return
		}
		text := e.AppendText(nil, line)
		e.AppendBody(nil, line)
		again, err := p.ParseEntry(line)
		must.Stop(t, err != nil || !bytes.Equal(again.AppendText(nil, line), text), "%q parses differently the second time: %v", line, err)
		if body := e.Body.Of(line); e.Type == message.EntryMessage && body != nil {
			h, err := p.ParseMessage(body)
			if err != nil || h.Content.Span != e.Message.Content.Span || h.Body != e.Message.Body {
				t.Fatalf("%q: its message parsed alone differs: %v", line, err)
			}
		}
	})
}

func FuzzElements(f *testing.F) {
	for _, s := range []string{`[]`, ` [1, "a" ,{"b":[2]}] `, `{"a":1,"b":null,"a":2}`, `[1`} {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		var p message.Parser
		last := 0
		spans, _ := p.Elements(data)
		for _, s := range spans {
			must.Stop(t, s.Start < last || s.End <= s.Start || s.End > len(data), "%q: span %v after %d", data, s, last)
			last = s.End
		}
		if s, err := p.Member(data, name); err == nil && s.End > 0 && !(s.Start > 0 && s.End < len(data)) {
			t.Fatalf("%q: member %q at %v", data, name, s)
		}
	})
}
