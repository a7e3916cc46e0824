package object

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// The results are those of pi's own tool.
func TestEditsAreMadeAsPiMakesThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ whole, edits, want string }{
		{"one\ntwo\nthree\n", `[{"oldText":"two","newText":"2"}]`, "one\n2\nthree\n"},
		{"one\r\ntwo\r\nthree\r\n", `[{"oldText":"one\ntwo\n","newText":"1\n2\n"}]`, "1\r\n2\r\nthree\r\n"},
		{"one\r\ntwo\nthree\n", `[{"oldText":"three","newText":"3\n4"}]`, "one\r\ntwo\n3\n4\n"},
		{"one  \ntwo \nthree\n", `[{"oldText":"one\ntwo\n","newText":"1\n2\n"}]`, "1\n2\nthree\n"},
		{"say “hello” now\nand “bye”  \n", `[{"oldText":"say \"hello\" now","newText":"say hi"}]`, "say hi\nand “bye”  \n"},
		{"a – b\u00a0c", `[{"oldText":"- b c","newText":"d"}]`, "a d"},
		{"café ﬁle…\nx ﬁx\n", `[{"oldText":"café file...","newText":"d"}]`, "d\nx ﬁx\n"},
		{"price, fee", `[{"oldText":"price","newText":"$& $1 fee"},{"oldText":"fee","newText":"tax"}]`, "$& $1 fee, tax"},
		{"one\ntwo\n", `"[{\"oldText\":\"two\",\"newText\":\"2\"}]"`, "one\n2\n"},
		{"one\ntwo\n", `{"oldText":"two","newText":"2"}`, "one\n2\n"},
		{"\ufeffone\r\n", `[{"oldText":"one\n","newText":"1\n"}]`, "\ufeff1\r\n"},
		{"a ’b’ c\nd ’e’ f\n", `[{"oldText":"'b'","newText":"B"},{"oldText":"c\nd","newText":"C"}]`, "a B C 'e' f\n"},
		{"one one", `[{"oldText":"one","newText":"1"}]`, ""},
		{"“one” \"one\"", `[{"oldText":"\"one\"","newText":"1"}]`, ""},
		{"one two", `[{"oldText":"one t","newText":"1"},{"oldText":"two","newText":"2"}]`, ""},
		{"one", `[{"oldText":"","newText":"1"}]`, ""},
		{"one", `[{"oldText":"two","newText":"1"}]`, ""},
	} {
		args, whole := []byte(`{"edits":`+c.edits+`}`), shownFile{content: []byte(c.whole)}
		if got := whole.changed(args); string(got.content) != c.want {
			t.Errorf("%q, %s: %q, want %q", c.whole, c.edits, got.content, c.want)
		}
		whole.lines = &Lines{5, 4 + strings.Count(c.whole, "\n")}
		if got := whole.changed(args); got.lines != nil && *got.lines != (Lines{5, 5 + strings.Count(strings.TrimSuffix(c.want, "\n"), "\n")}) {
			t.Errorf("%q, %s: lines %v", c.whole, c.edits, got.lines)
		}
	}
}

func FuzzEdited(f *testing.F) {
	f.Add("one\r\ntwo “x”  \n", "two \"x\"\n", "2", "one", "1\n")
	f.Add("\r\r\n\n", "\n", "", "\r", "x")
	f.Fuzz(func(t *testing.T, whole, old, new, old2, new2 string) {
		if !utf8.ValidString(whole + "\x00" + old + "\x00" + new + "\x00" + old2 + "\x00" + new2) {
			return // JSON has no such texts
		}
		list := edits{{old, new}, {old2, new2}}
		if got, ok := edited(whole, list); ok && len(got) > len(whole)+2*(len(new)+len(new2))+len(whole) {
			t.Errorf("%q became %q", whole, got)
		}
		data, err := json.Marshal(list)
		var again edits
		if err != nil || json.Unmarshal(data, &again) != nil || len(again) != 2 {
			t.Errorf("%s: %v", data, again)
		}
		if text, ok := edited(whole, edits{{old, old}}); ok && strings.Contains(whole, old) && !strings.Contains(whole+old, "\r") && text != whole {
			t.Errorf("%q became %q", whole, text)
		}
	})
}
