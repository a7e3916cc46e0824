package marker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// Holds prune 44.
func TestCuttingAMarkerSplitsNeitherCharactersNorEscapes(t *testing.T) {
	for _, unit := range []string{"é", "😀", "a\u0301", "\r\n", "👩\u200d💻", `"`, "\x1b"} {
		whole := plain.ASCII(unit, 1000, false)
		for limit := 3; limit < 60; limit++ {
			for _, keepEnd := range []bool{false, true} {
				got := plain.ASCII(strings.Repeat(unit, 40), limit, keepEnd)
				rest := strings.ReplaceAll(got, "...", "")
				must.Stop(t, len(got) > limit || strings.ReplaceAll(rest, whole, "") != "" || !strings.Contains(got, "..."), "%q at %d: %q", unit, limit, got)
			}
		}
	}
	must.Equal(t, plain.ASCII("src/components/App.tsx", 12, true), "...s/App.tsx", "got")
}

func TestCountsInMarkersHaveTwoSignificantDigits(t *testing.T) {
	for n, want := range map[token.Count]string{
		7: "~7 tok", 99: "~99 tok", 104: "~100 tok", 105: "~110 tok", 999: "~1000 tok", 5134: "~5100 tok", 12500: "~13000 tok", 1234567: "~1200000 tok",
	} {
		must.Equal(t, About(n), want, "%d", n)
	}
}

func TestOrdinaryTextIsNotAMarker(t *testing.T) {
	const good = `[pruned: bash "x" (~500 tok); full text: pictx expand 3f9a2c1b]`
	isMarker := func(s string) bool { return isLineLiteral(message.AppendQuote(nil, s), "bash") }
	must.Stop(t, !isMarker(good), "the good one is none")
	for _, s := range []string{
		"", "[pruned: bash]", strings.Replace(good, "bash", "read", 1), good + " ", " " + good, good + "\n", strings.TrimSuffix(good, "]"),
		strings.Replace(good, "3f9a2c1b", "3f 9a", 1), strings.Replace(good, " tok", "", 1), strings.Replace(good, "x", "é", 1), strings.Replace(good, "x", strings.Repeat("x", 200), 1),
	} {
		must.Not(t, isMarker(s), "%q", s)
	}
}

func TestAMarkerIsRecognised(t *testing.T) {
	for text, want := range map[string]bool{
		`[output pruned — ~12,500 tokens | read path="a.go"]`:                         true,
		`[output pruned — ~12,500 tokens | read]`:                                     true,
		`[output pruned — ~1 tokens | read query="a\"b"]`:                             true,
		`[output pruned — ~12,500 tokens | bash]`:                                     false, // another tool's
		`[output pruned — ~12,500 tokens | read | path="a.go"]`:                       false, // the original's
		`[output pruned — ~12,500 tokens | read path="a.go"] `:                        false,
		` [output pruned — ~12,500 tokens | read]`:                                    false,
		`[output pruned — ~ tokens | read]`:                                           false,
		`[output pruned — ~x tokens | read]`:                                          false,
		`[output pruned — ~1 tokens | read other="a"]`:                                false,
		"[output pruned — ~1 tokens | read path=\"a\nb\"]":                            false,
		`[output pruned — ~1 tokens | read path="` + strings.Repeat("x", 5000) + `"]`: false,
		"": false,
	} {
		for _, content := range []string{"%s", `[{"type":"text","text":%s}]`} {
			raw := fmt.Appendf(nil, `{"role":"toolResult","toolName":"read","content":`+content+`}`, message.AppendQuote(nil, text))
			var p message.Parser
			h := must.Get(p.ParseMessage(raw))(t)
			must.Equal(t, Is(&h, raw), want, "Is(%s)", raw)
		}
	}
}

func TestOnlyAToolResultIsAMarker(t *testing.T) {
	for _, raw := range []string{
		`{"role":"user","content":"[output pruned — ~1 tokens | ]"}`,
		`{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"[output pruned — ~1 tokens | read]"},{"type":"image"}]}`,
		`{"role":"toolResult","toolName":"read","content":null}`,
	} {
		var p message.Parser
		h := must.Get(p.ParseMessage([]byte(raw)))(t)
		must.Not(t, Is(&h, []byte(raw)), "Is(%s)", raw)
	}
	must.Not(t, Is(nil, nil), "Is(nil)")
}
