package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// messages makes a moment.Message of a conversation, whose messages have ids.
func (t *talk) trimmable(s moment) (moment, []Message) {
	m := t.parse()
	for i := range m {
		m[i].EntryID = fmt.Sprintf("e%07d", i)
	}
	s.Message = func(i int) (*message.Head, []byte) {
		var p message.Parser
		h, err := p.ParseMessage(t.list[i])
		if err != nil {
			return nil, nil
		}
		return &h, t.list[i]
	}
	return s, m
}

// edits plans in a cold cache and returns the content of each answer that is trimmed.
func (t *talk) edits(set AutoSettings) map[int]string {
	s, m := t.trimmable(t.later())
	s.Bound = func(*message.Head) bool { return false }
	out := make(map[int]string)
	for _, e := range NewAuto(set).at(s, m).Edits {
		if e.Trims() {
			out[e.Index] = e.Marker
		}
	}
	return out
}

const (
	thought = `{"type":"thinking","thinking":"%s","thinkingSignature":"c2ln"}`
	said    = `{"type":"text","text":"well"}`
)

// thinking is a block of the given number of characters.
func thinking(chars int) string { return fmt.Sprintf(thought, strings.Repeat("t", chars)) }

func TestThinkingThatCallsOrTextDependOnStays(t *testing.T) {
	for name, block := range map[string]string{
		"ids of OpenAI Responses": `{"type":"toolCall","id":"call_1|fc_1","name":"bash","arguments":{"command":"x"}}`,
		"a signed text":           `{"type":"text","text":"well","textSignature":"msg_1"}`,
		"a signed call":           `{"type":"toolCall","id":"c1","name":"bash","arguments":{},"thoughtSignature":"c2ln"}`,
	} {
		var k talk
		k.user()
		k.answer("stop", thinking(4000)+","+block)
		k.user()
		sit, m := k.trimmable(k.later())
		sit.Changed = 1 // its thinking is invalid
		if p := Clearing().at(sit, m); len(p.Edits) != 0 {
			t.Errorf("%s: %+v", name, p.Edits)
		}
	}
}

// editing is a call that edits a file.
func editing(id, path string, size int) string {
	long := strings.Repeat("o", size)
	return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"edit","arguments":{"path":%q,"edits":[{"oldText":%q,"newText":"n%s"}],"z":1}}`, id, path, long, long)
}

func TestTextThatOldEditsReplacedIsShortenedAndTheRestStays(t *testing.T) {
	var k talk
	k.user()
	k.answer("toolUse", editing("c1", "a.go", 2000)+","+editing("c2", "b.go", 2000)) // parallel
	at := len(k.list) - 1
	k.add(result("c1", "edit", 10))
	k.add(result("c2", "edit", 10))
	k.answer("toolUse", editing("c3", "a.go", 2000))
	newest := len(k.list) - 1
	k.add(result("c3", "edit", 10))
	k.say(40)
	got := k.edits(DefaultAuto())
	if _, ok := got[newest]; ok {
		t.Error("the newest edit of a.go was changed")
	}
	content := got[at]
	want := `[{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"a.go","edits":[{"oldText":"[pruned: ~500 tok that this call replaced; full text: pictx expand e0000001]","newText":"n` +
		strings.Repeat("o", 2000) + `"}],"z":1}},` + editing("c2", "b.go", 2000) + `]`
	must.Not(t, content != want, "got  %s\nwant %s", content, want)
}

// What trimming would not make smaller is no reason to prune, and does not add to what
// pruning is expected to save.
func TestEditsThatHoldNoLongOldTextAreNotCandidates(t *testing.T) {
	long := strings.Repeat("n", 2000)
	short := strings.Repeat(`{"oldText":"a short one","newText":"`+long[:150]+`"},`, 10)
	written := `{"type":"toolCall","id":"c1","name":"write","arguments":{"path":"a.go","content":"` + long + `"}}`
	edited := `{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"a.go","edits":[` + strings.TrimSuffix(short, ",") + `]}}`
	trimmed := `{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"a.go","edits":[{"oldText":"[pruned: ~500 tok that this call wrote]","newText":"` + long + `"}]}}`
	for name, tt := range map[string]struct {
		call string
		want int
	}{"a new file": {written, 0}, "short texts": {edited, 0}, "trimmed before": {trimmed, 0}, "a long text": {editing("c1", "a.go", 2000), 1}} {
		var k talk
		k.user()
		k.answer("toolUse", tt.call)
		k.add(result("c1", "edit", 10))
		k.answer("toolUse", editing("c2", "a.go", 20))
		k.add(result("c2", "edit", 10))
		k.say(40)
		s, m := k.trimmable(k.later())
		p := NewAuto(DefaultAuto()).at(s, m)
		if f := p.Figures; f.Results != tt.want || len(p.Edits) != tt.want || (f.RemovableTokens > 0) != (tt.want > 0) {
			t.Errorf("%s: %d candidates of %v tokens, %d edits: %s", name, f.Results, f.RemovableTokens, len(p.Edits), p.Outcome)
		}
	}
}

func TestArgumentsOfTheTurnThatIsGoingOnStayWhereTheModelThought(t *testing.T) {
	talk := func(before string) map[int]string {
		var k talk
		k.user()
		k.answer("toolUse", before+editing("c1", "a.go", 2000))
		k.add(result("c1", "edit", 10))
		k.answer("toolUse", editing("c2", "a.go", 2000))
		k.add(result("c2", "edit", 10))
		k.say(40)
		return k.edits(DefaultAuto())
	}
	must.Not(t, len(talk("")) != 1 || len(talk(thinking(50)+",")) != 0, "an answer that thought was changed in its turn, or one that did not was left")
}

// editedTwice is a conversation whose first answer holds text that its second has replaced again.
func editedTwice() *talk {
	var k talk
	k.user()
	for i := range 2 {
		id := fmt.Sprint("c", i)
		k.answer("toolUse", editing(id, "a.go", 6000))
		k.add(result(id, "edit", 10))
	}
	k.say(40)
	k.user()
	return &k
}

func TestATrimmedAnswerIsTrimmedOnceAndItsPinKeepsIt(t *testing.T) {
	k := editedTwice()
	s, m := k.trimmable(k.later())
	p := NewAuto(DefaultAuto()).at(s, m)
	must.Stop(t, len(p.Edits) != 1 || p.AfterTokens >= p.BeforeTokens-900 || p.PrunedTokens < 900, "%+v", p)
	if again := NewAuto(DefaultAuto()).at(s, pruned(m, p)); again.Acted {
		t.Errorf("it was planned again: %+v", again.Edits)
	}
	s.Pins.Entries = []string{m[1].EntryID}
	if kept := NewAuto(DefaultAuto()).at(s, m); kept.Acted {
		t.Errorf("it was pinned: %+v", kept.Edits)
	}
}

func TestResponsesWithoutTheirBytesAreNotTrimmed(t *testing.T) {
	k := editedTwice()
	if p := k.plan(k.later()); p.Acted {
		t.Errorf("%+v", p.Edits)
	}
}

func TestReportsOfAgentsAndOfTheWebGoWhenTheyAreOld(t *testing.T) {
	for _, tool := range []string{"task", "Agent", "web_search", "WebFetch"} {
		var k talk
		at := k.user().run(tool, `{"prompt":"x"}`, 5000)
		k.say(15)
		wantCodes(t, NewAuto(AutoSettings{}).at(k.later(), k.parse()), map[int]string{at: CodeYoung})
		k.say(1)
		wantCodes(t, NewAuto(AutoSettings{}).at(k.later(), k.parse()), map[int]string{at: CodeReport})
	}
}
