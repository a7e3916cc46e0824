package message

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
)

// The lengths are what node prints for JSON.parse(literal).length.
func TestLengthsAreThoseOfJavaScript(t *testing.T) {
	for _, c := range []struct {
		literal string
		want    int
	}{
		{`""`, 0},
		{`"a"`, 1},
		{`"é"`, 1},
		{`"漢字"`, 2},
		{`"😀"`, 2},
		{`"👩‍👩‍👧"`, 8},
		{`"e` + "\u0301" + `"`, 2},
		{`"\n\t\"\\\/"`, 5},
		{`"\u0041"`, 1},
		{`"\ud83d\ude00"`, 2},
		{`"\ud83d"`, 1},
		{`"\ude00x"`, 2},
		{`"\\u0041"`, 6},
		{`"a\\"`, 2},
		{"\"\xff\"", 1},
		{`123456`, 0},
		{`null`, 0},
		{`{"a":"b"}`, 0},
		{``, 0},
	} {
		must.Equal(t, utf16Len([]byte(c.literal)), c.want, "utf16Len(%s)", c.literal)
	}
}

func FuzzLengthIsThatOfTheDecodedString(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00\udead"`, `"é😀\n"`, `"\\u0041"`, `"sixteen of ASCII, then é and nine more"`, `"seven..\nthen fifteen\\ and more \u00e9 to the end"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		var s string
		if !utf8.ValidString(literal) || json.Unmarshal([]byte(literal), &s) != nil || literal[0] != '"' || literal[len(literal)-1] != '"' {
			return
		}
		// A lone surrogate decodes to one replacement character: one unit either way.
		if got, want := utf16Len([]byte(literal)), len(utf16.Encode([]rune(s))); got != want {
			t.Fatalf("utf16Len(%s) = %d, want %d", literal, got, want)
		}
	})
}

func TestCutLiteralKeepsCharactersWhole(t *testing.T) {
	for _, c := range []struct{ literal, want string }{
		{`"abcdef"`, `"abc"`},
		{`"ab\ncd"`, `"ab\n"`},
		{`"ab😀cd"`, `"ab😀"`},
		{`"ab\u0041cd"`, `"ab\u0041"`},
		{`"ab\ud83d\ude00cd"`, `"ab\ud83d\ude00"`},
		{`"ab\uD83D\uDE00cd"`, `"ab\uD83D\uDE00"`},
		{`"ab\ud83dcd"`, `"ab\ud83d"`},
		{`"ab\ud83d"`, `"ab\ud83d"`},
		{`"ab"`, `"ab"`},
		{`""`, `""`},
	} {
		must.Equal(t, string(cutLiteral([]byte(c.literal), 4)), c.want, "cutLiteral(%s)", c.literal)
	}
}

func TestInternedWordsAreBounded(t *testing.T) {
	var p Parser
	for i := range 2 * maxWords {
		p.intern([]byte(`"` + strings.Repeat("x", i%40) + string(rune('a'+i%26)) + string(rune(0x100+i)) + `"`))
	}
	must.Equal(t, len(p.words), maxWords, "words")
	long := `"` + strings.Repeat("y", 100) + `"`
	if got := p.intern([]byte(long)); got != strings.Trim(long, `"`) || p.words[long] != "" {
		t.Errorf("a long word is kept, or wrong: %q", got)
	}
}

func TestBlocksAreCountedAsProvidersDo(t *testing.T) {
	for raw, want := range map[string]int{
		`{"role":"user","content":"x"}`: 1,
		`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","data":"A"}]}`:                                                                    2,
		`{"role":"toolResult","content":[{"type":"text","text":"x"},{"type":"image","data":"A"}]}`:                                                              1,
		`{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"toolCall","id":"a","name":"b","arguments":{}},{"type":"thinking","thinking":"t"}]}`: 3,
	} {
		var p Parser
		h := must.Get(p.ParseMessage([]byte(raw)))(t)
		must.Equal(t, Blocks(&h), want, "%s", raw)
	}
	must.Equal(t, Blocks(nil), 0, "nothing is a block")
}
