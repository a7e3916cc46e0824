package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/internal/must"
)

// birthTalk is a conversation whose results have texts.
type birthTalk struct {
	talk
	texts map[int]string
}

// gives adds a call and its result, and returns the position of that.
func (b *birthTalk) gives(tool, arguments, text string, isError bool) int {
	id := b.ask("toolUse", tool, arguments)
	r := fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":%q}],"isError":%v}`, id, tool, text, isError)
	at := b.add(r)
	if b.texts == nil {
		b.texts = make(map[int]string)
	}
	b.texts[at] = text
	return at
}

// plan plans as at the end of a turn that goes on.
func (b *birthTalk) plan(s AutoSettings, pins Pins) Plan {
	sit := b.now()
	sit.Text = func(i int) []byte { return []byte(b.texts[i]) }
	sit.Pins = pins
	return NewAuto(s).at(sit, b.parse())
}

// shorten applies the edits of a plan: the model sees them from then on.
func (b *birthTalk) shorten(p Plan) {
	b.list = b.apply(p)
}

func numbered(from, to int, what string) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d of %s, which says nothing\n", i, what)
	}
	return b.String()
}

const (
	readFile = `{"path":"src/a.ts"}`
	runTests = `{"command":"make test"}`
)

func TestWhatIsNewIsShortenedBeforeTheModelSeesIt(t *testing.T) {
	long, file := numbered(1, 400, "the output"), numbered(1, 200, "the file")
	changed := strings.Replace(file, "line 90 of", "line ninety of", 1)
	all := AutoSettings{}
	for name, c := range map[string]struct {
		talk func(b *birthTalk) int // the position of the result
		set  AutoSettings
		pins Pins
		want string // the code of the edit, "" for none
	}{
		"output of a command":        {talk: func(b *birthTalk) int { return b.gives("bash", runTests, long, false) }, want: CodeExcerpt},
		"of one that failed":         {talk: func(b *birthTalk) int { return b.gives("bash", runTests, long, true) }, want: CodeExcerpt},
		"of a search":                {talk: func(b *birthTalk) int { return b.gives("grep", `{"pattern":"x"}`, long, false) }, want: CodeExcerpt},
		"short output":               {talk: func(b *birthTalk) int { return b.gives("bash", runTests, file[:2000], false) }},
		"a file that is to be shown": {talk: func(b *birthTalk) int { return b.gives("bash", `{"command":"cd src && cat a.ts"}`, long, false) }},
		"a first read":               {talk: func(b *birthTalk) int { return b.gives("read", readFile, long, false) }},
		"a tool that is not known":   {talk: func(b *birthTalk) int { return b.gives("mcp_ask", `{}`, long, false) }},
		"a text that is brought back": {talk: func(b *birthTalk) int {
			return b.gives("bash", `{"command":"pictx expand 3f9a2c1b"}`, long, false)
		}},
		"a tool that is kept":     {talk: func(b *birthTalk) int { return b.gives("bash", runTests, long, false) }, set: AutoSettings{KeepTools: []string{"bash"}}},
		"a rule that is left out": {talk: func(b *birthTalk) int { return b.gives("bash", runTests, long, false) }, set: AutoSettings{Without: []string{"output"}}},
		"output that was answered": {talk: func(b *birthTalk) int {
			at := b.gives("bash", runTests, long, false)
			b.say(1)
			return at
		}},
		"output that was sent with a request that failed": {talk: func(b *birthTalk) int {
			at := b.gives("bash", runTests, long, false)
			b.answer("error", `{"type":"text","text":""}`)
			return at
		}},
		"a second read": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			return b.gives("read", readFile, file, false)
		}, want: CodeAgain},
		"the last of three reads in one response": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			b.say(1)
			b.answer("toolUse", `{"type":"toolCall","id":"x","name":"read","arguments":{"path":"src/a.ts"}},{"type":"toolCall","id":"y","name":"read","arguments":{"path":"src/a.ts"}}`)
			for _, id := range []string{"x", "y"} {
				at := b.add(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"read","content":[{"type":"text","text":%q}],"isError":false}`, id, file))
				b.texts[at] = file
			}
			return len(b.list) - 1
		}},
		"a read of a changed file": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			return b.gives("read", readFile, changed, false)
		}, want: CodeAgain},
		"a read of a part of it": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			return b.gives("read", `{"path":"src/a.ts","offset":51,"limit":100}`, numbered(51, 150, "the file"), false)
		}, want: CodeAgain},
		"a read of another file": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			return b.gives("read", `{"path":"src/b.ts"}`, file, false)
		}},
		"a second read of a file that is pinned": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			return b.gives("read", readFile, file, false)
		}, pins: Pins{Paths: []string{"src/*.ts"}}},
		"a third read": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			b.gives("read", readFile, file, false)
			b.shorten(b.plan(all, Pins{}))
			return b.gives("read", readFile, file, false)
		}},
		"a third read, of a file that has changed since": {talk: func(b *birthTalk) int {
			b.gives("read", readFile, file, false)
			b.gives("read", readFile, file, false)
			b.shorten(b.plan(all, Pins{}))
			b.gives("edit", `{"path":"src/a.ts","oldText":"90","newText":"ninety"}`, "done", false)
			return b.gives("read", readFile, changed, false)
		}, want: CodeAgain},
		"a command once more": {talk: func(b *birthTalk) int {
			b.gives("bash", runTests, long, true)
			b.shorten(b.plan(all, Pins{}))
			return b.gives("bash", runTests, long, true)
		}},
		"a command once more, after a change": {talk: func(b *birthTalk) int {
			b.gives("bash", runTests, long, true)
			b.shorten(b.plan(all, Pins{}))
			b.gives("edit", `{"path":"src/a.ts","oldText":"90","newText":"ninety"}`, "done", false)
			return b.gives("bash", runTests, long, true)
		}, want: CodeExcerpt},
	} {
		b := new(birthTalk)
		b.user()
		at := c.talk(b)
		plan := b.plan(c.set, c.pins)
		got := ""
		for _, e := range plan.Edits {
			if e.Index == at {
				got = e.Reason.Code
			}
		}
		must.Not(t, got != c.want, "%s: %q, want %q (%s)", name, got, c.want, plan.Outcome)
	}
}

// What a short text refers to stays as long as it does: the changes of a file are nothing without
// what they change.
func TestAReadStaysAsLongAsTheChangesThatReferToIt(t *testing.T) {
	file := numbered(1, 200, "the file")
	b := new(birthTalk)
	b.user()
	first := b.gives("read", readFile, file, false)
	b.gives("edit", `{"path":"src/a.ts","oldText":"90","newText":"ninety"}`, "done", false)
	second := b.gives("read", readFile, strings.Replace(file, "line 90 of", "line ninety of", 1), false)
	b.shorten(b.plan(AutoSettings{}, Pins{}))
	if m := b.parse()[second]; !marker.HasExcerpt(m.Head, b.list[second]) {
		t.Fatalf("the second read became %s", b.list[second])
	}
	b.say(2).user()
	sit := b.later()
	messages := b.parse()
	messages[second].Excerpt = true
	must.Equal(t, why(NewAuto(AutoSettings{}).at(sit, messages), first), CodeUsed, "what becomes of the read that the changes refer to")
	messages[second].Excerpt = false // two reads of their own
	if got := why(NewAuto(AutoSettings{}).at(sit, messages), first); got != CodeUsed && got != CodeEdited {
		t.Errorf("%q becomes of a read of a file that was changed since", got)
	}
}
