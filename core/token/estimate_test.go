package token

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
)

func TestCountIsGroupedAsInEnglish(t *testing.T) {
	for n, want := range map[Count]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 12500: "12,500", 100000: "100,000",
		1234567: "1,234,567", -1: "-1", -999: "-999", -1000: "-1,000",
	} {
		must.Equal(t, n.String(), want, "Count(%d)", int(n))
	}
}

func TestAQuarterOfTheCharactersIsRoundedUp(t *testing.T) {
	for chars, want := range map[int]Count{0: 0, 1: 1, 4: 1, 5: 2, 8: 2, 9: 3, 50000: 12500} {
		must.Equal(t, OfChars(chars), want, "OfChars(%d)", chars)
	}
}

func TestUnitsAreThoseOfJavaScript(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "—": 1, "😀": 2, "a😀b": 4, "\xff": 1} {
		must.Equal(t, text.Units(s), want, "Units(%q)", s)
	}
}

// The wanted figures are those of pi 0.87.1's estimateTokens for the same JSON, but
// for a message without content, which makes that throw.
//
// Holds prune 24.
func TestEstimateIsThatOfPi(t *testing.T) {
	cases := []struct {
		name, json string
		want       Count
	}{
		{"text", `{"role":"toolResult","content":[{"type":"text","text":"12345"}]}`, 2},
		{"text blocks add up before rounding", `{"role":"toolResult","content":[{"type":"text","text":"1"},{"type":"text","text":"234"}]}`, 1},
		{"a surrogate pair is two characters", `{"role":"user","content":"😀😀1"}`, 2},
		{"escapes count as what they stand for", `{"role":"user","content":"\n\n\u00e9\\"}`, 1},
		{"an image is 4,800 characters", `{"role":"toolResult","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, 1200},
		{"text and two images", `{"role":"toolResult","content":[{"type":"text","text":"1"},{"type":"image"},{"type":"image"}]}`, 2401},
		{"unknown blocks are nothing", `{"role":"toolResult","content":[{"type":"new","text":"12345"},7]}`, 0},
		{"no content", `{"role":"toolResult"}`, 0},
		{"thinking and calls of an assistant", `{"role":"assistant","content":[{"type":"thinking","thinking":"1234"},{"type":"text","text":"5"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a"}}]}`, 6},
		{"a summary", `{"role":"compactionSummary","summary":"12345678"}`, 2},
		{"a command and its output", `{"role":"bashExecution","command":"ls","output":"abc"}`, 2},
		{"an unknown role", `{"role":"later","content":"12345678"}`, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p message.Parser
			h := must.Get(p.ParseMessage([]byte(c.json)))(t)
			must.Equal(t, Estimate(&h), c.want, "Estimate(%s)", c.json)
		})
	}
}

func TestANilHeadHasNoTokens(t *testing.T) {
	must.Equal(t, Estimate(nil), 0, "Estimate(nil)")
}

func TestALongResultIsMeasuredWhole(t *testing.T) {
	var p message.Parser
	h := must.Get(p.ParseMessage(fmt.Appendf(nil, `{"role":"toolResult","content":[{"type":"text","text":%q}]}`, strings.Repeat("x", 100_000))))(t)
	if got := Estimate(&h); got != 25_000 {
		t.Errorf("Estimate = %d, want 25,000", got)
	}
}
