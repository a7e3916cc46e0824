package raw

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// bigEvent makes a context event of at least size bytes, of messages of the size
// they have in recorded sessions: 1.5 KB.
func bigEvent(size int) []byte {
	text := strings.Repeat("\tif err := run(ctx, \\\"a\\\"); err != nil {\\n\\t\\treturn err\\n\\t}\\n", 64)
	text = strings.ReplaceAll(text, "\t", "\\t")
	var b bytes.Buffer
	b.WriteString(`{"type":"context","messages":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role":"user","content":[{"type":"text","text":"go on"}],"timestamp":%d},`, i)
		fmt.Fprintf(&b, `{"role":"assistant","content":[{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"src/%d.go"}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0.1}},"stopReason":"toolUse","timestamp":%d},`, i, i, i)
		fmt.Fprintf(&b, `{"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false,"timestamp":%d}`, i, text, i)
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// pipe hides that a reader is more than a reader.
type pipe struct{ io.Reader }

// seedPlanner is that of the policy "seed" in a new configuration.
func seedPlanner() *policy.Planner {
	return policy.NewSeed(policy.SeedSettings{
		Minimum: 20_000, Protect: 40_000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	})
}

func benchmarkContext(b *testing.B, size int) {
	data := bigEvent(size)
	h := Filter{Plan: seedPlanner().Plan}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		report, err := h.Run(b.Context(), hooks.EventContext, pipe{bytes.NewReader(data)}, io.Discard)
		if err != nil || !report.Plan.Acted {
			b.Fatal(report, err)
		}
	}
}

func BenchmarkContext1MB(b *testing.B)  { benchmarkContext(b, 1<<20) }
func BenchmarkContext10MB(b *testing.B) { benchmarkContext(b, 10<<20) }

// BenchmarkPassThrough10MB is the reference: an event that is only checked.
func BenchmarkPassThrough10MB(b *testing.B) {
	data := bigEvent(10 << 20)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get((Filter{}).Run(b.Context(), "turn_end", pipe{bytes.NewReader(data)}, io.Discard))(b)
	}
}
