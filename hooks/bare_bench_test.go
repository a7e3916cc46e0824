package hooks_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/hooks"
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

// seedPlanner is that of the policy "seed" in a new configuration.
func seedPlanner() *policy.Planner {
	return policy.NewSeed(policy.SeedSettings{
		Minimum: 20_000, Protect: 40_000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	})
}

// BenchmarkBare10MB filters a context of 10 MB. What another event of that size takes, which is
// only checked, is the reference.
func BenchmarkBare10MB(b *testing.B) {
	data, plan := bigEvent(10<<20), seedPlanner().Plan
	for _, event := range []string{hooks.EventContext, hooks.EventTurnEnd} {
		b.Run(event, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, made, err := hooks.Bare(b.Context(), event, data, plan); err != nil || made.Acted != (event == hooks.EventContext) {
					b.Fatal(made, err)
				}
			}
		})
	}
}
