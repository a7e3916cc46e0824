package policy

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// lineOf returns the marker of a result with this text, which has an entry.
func lineOf(t *testing.T, tool, args, body string) string {
	t.Helper()
	var k talk
	id := k.user().ask("toolUse", tool, args)
	at := k.add(text(id, tool, body))
	k.user().user().say(9)
	s := k.later()
	s.Text = k.texts()
	m := k.parse()
	m[at].EntryID = "3f9a2c1b"
	return markerAt(t, NewAuto(AutoSettings{}).at(s, m), at)
}

func TestMarkerNamesTheResultAndHowToGetItBack(t *testing.T) {
	for _, c := range []struct{ name, tool, args, body, want string }{
		{"a file", "read", `{"path":"src/app.ts"}`, lots(412), `read src/app.ts lines 1-412 (~2100 tok)`},
		{"a part", "read", `{"path":"src/app.ts","offset":30,"limit":50}`, lots(50), `read src/app.ts lines 30-79 (~250 tok)`},
		{"a part with a remark", "read", `{"path":"a","offset":2,"limit":50}`, lots(50) + "\n\n[120 more lines in file. Use offset=52 to continue.]", `read a lines 2-51 (~260 tok)`},
		{"a command", "bash", `{"command":"go test ./..."}`, lots(100) + "\nok x/y 0.4s\n", `bash "go test ./..." exit 0 (~500 tok); last line: "ok x/y 0.4s"`},
		{"with a status", "bash", `{"command":"make"}`, lots(100) + "\nno rule\n\nExit code: 2", `bash "make" exit 2 (~510 tok); last line: "no rule"`},
		{"a search", "grep", `{"pattern":"TODO","path":"src"}`, lots(100), `grep "TODO" (~500 tok)`},
		{"a listing", "ls", `{"path":"src"}`, lots(100), `ls "src" (~500 tok)`},
		{"no argument", "ls", `{}`, lots(100), `ls (~500 tok)`},
		{"quotes and lines", "bash", `{"command":"echo \"a\"\nb\tc\u0007"}`, lots(100), `bash "echo \"a\"\nb\tc\u0007" exit 0 (~500 tok); last line: "a line of some text"`},
		{"other letters", "bash", `{"command":"é 😀 \u202e"}`, lots(100), `bash "\u00e9 \ud83d\ude00 \u202e" exit 0 (~500 tok); last line: "a line of some text"`},
	} {
		if got, want := lineOf(t, c.tool, c.args, c.body), "[pruned: "+c.want+"; full text: pictx expand 3f9a2c1b]"; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
	}
}

func TestMarkerNamesWhatSupersededTheResult(t *testing.T) {
	var k talk
	edited := k.user().read("a.ts")
	k.edit("a.ts")
	k.say(4)
	p := k.plan(k.later())
	if got, want := markerAt(t, p, edited), "[pruned: read a.ts (~1000 tok), superseded by a later edit; full text: pictx expand e"+itoa(edited)+"]"; got != want {
		t.Errorf("%s", got)
	}
}

// Holds prune 24.
func TestImagesAreCountedAndMentioned(t *testing.T) {
	var k talk
	id := k.user().ask("toolUse", "read", `{"path":"a.png"}`)
	at := k.add(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"read","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false}`, id))
	k.user().user().say(9)
	p := k.plan(k.later())
	if got := markerAt(t, p, at); !strings.Contains(got, "read a.png (~2400 tok, 2 images);") {
		t.Errorf("%s", got)
	}
	must.Not(t, p.PrunedTokens != 2401, "%v tokens", p.PrunedTokens)
	if out := k.apply(p); strings.Contains(string(out[at]), "AAAA") {
		t.Errorf("the images are still there: %s", out[at])
	}
}

// Holds prune 44.
func TestMarkerIsShortASCIIAndRecognised(t *testing.T) {
	long := []string{
		strings.Repeat("x", 5000), strings.Repeat("é", 3000), strings.Repeat("😀", 2000), strings.Repeat("a\u0301", 2000),
		strings.Repeat("\\\"", 500), strings.Repeat("\r\n", 500), strings.Repeat("\x00", 500), "a" + strings.Repeat("\u0301", 3000), "]; full text: pictx; last line: ",
	}
	for _, s := range long {
		q := string(message.AppendQuote(nil, s))
		for _, c := range [][2]string{{"read", `{"path":` + q + `}`}, {"bash", `{"command":` + q + `}`}, {"grep", `{"pattern":` + q + `}`}} {
			got := lineOf(t, c[0], c[1], lots(100)+s)
			must.Not(t, len(got) > maxLine || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }), "%d bytes: %q", len(got), got)
			must.Not(t, !isMarkerOf(got, c[0]), "not known: %q", got)
			if !strings.HasSuffix(got, "; full text: pictx expand 3f9a2c1b]") {
				t.Errorf("no pointer: %q", got)
			}
		}
	}
}

func TestAResultWithoutAnEntryIsNamedByItsText(t *testing.T) {
	var k talk
	at := k.user().run("bash", `{"command":"x"}`, 500)
	k.say(2)
	m := k.parse()
	m[at].EntryID = ""
	s := k.later()
	if got := markerAt(t, NewAuto(AutoSettings{}).at(s, m), at); !strings.HasSuffix(got, "; run it again for the text]") || !isMarkerOf(got, "bash") {
		t.Errorf("%s", got)
	}
	s.Text = k.texts()
	got := markerAt(t, NewAuto(AutoSettings{}).at(s, m), at)
	_, id, _ := strings.Cut(got, "pictx expand ")
	if id = strings.TrimSuffix(id, "]"); len(id) != 12 || strings.Trim(id, "0123456789abcdef") != "" || !isMarkerOf(got, "bash") {
		t.Errorf("%s", got)
	}
}

// No time, no locale, no path of the machine, no total: on another machine and on
// another day the bytes are the same.
//
// Holds prune 29.
func TestMarkerDependsOnTheResultAndItsCallAlone(t *testing.T) {
	var k talk
	at := k.user().run("bash", `{"command":"x"}`, 500)
	k.say(2)
	s := k.later()
	first := markerAt(t, k.plan(s), at)
	k.run("bash", `{"command":"more"}`, 5000)
	k.user().say(7)
	s = k.later()
	s.CWD, s.Now, s.Window, s.Floor, s.Scale = "/elsewhere", s.Now*2, 100_000, 7, 2.5
	if second := markerAt(t, k.plan(s), at); second != first {
		t.Errorf("%s\n%s", first, second)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("bash", `{"command":"x"}`, "a\nb", "3f9a2c1b")
	f.Add("re\nad", `{"path":"\ud800","offset":1e9}`, "\x00\xff", "")
	f.Add("read", `{"path":"a","limit":-1,"view_range":[1,2,3]}`, "[image]", strings.Repeat("a", 100))
	f.Fuzz(func(t *testing.T, tool, args, body, id string) {
		var p message.Parser
		q := func(s string) []byte { return message.AppendQuote(nil, s) }
		raw := fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":%s,"arguments":%s}]}`, q(tool), args)
		call, err := p.ParseMessage(raw)
		if err != nil {
			t.Skip()
		}
		h := must.Get(p.ParseMessage(fmt.Appendf(nil, `{"role":"toolResult","toolCallId":"a","toolName":%s,"content":%s}`, q(tool), q(body))))(t)
		in := NewInput([]Message{{Head: &call}, {Head: &h, EntryID: id}}, Situation{})
		in.Situation.Text = func(int) []byte { return []byte(body) }
		for _, code := range []string{CodeEdited, CodeOutput} {
			got := lineMarker(in, &Candidate{Result: in.results[0], Reason: Reason{Code: code}})
			must.Not(t, len(got) > maxLine || !isMarkerOf(got, h.ToolName), "%d bytes: %q", len(got), got)
			must.Not(t, strings.ContainsFunc(got, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }), "%q", got)
		}
	})
}
