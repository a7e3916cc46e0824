package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
)

// DefaultAuto returns the settings of prune.* in a new configuration.
func DefaultAuto() AutoSettings {
	return AutoSettings{
		KeepTools: []string{"task", "skill", "ask*"},
		KeepPaths: []string{"**/*.env", "**/AGENTS.md", "**/SKILL.md"},
		PinImpact: true,
	}
}

// DefaultSeed returns the numbers of pi-context-pruning's README.
func DefaultSeed() SeedSettings {
	return SeedSettings{
		Minimum: 20_000, Protect: 40_000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	}
}

// DefaultKota returns the numbers of pi-kota's design.
func DefaultKota() KotaSettings {
	return KotaSettings{KeepRecentTurns: 2, MaxToolChars: 1200, Adaptive: true, AdaptiveTokens: 120_000, PinImpact: true}
}

// maxLine bounds the markers of the policy "auto", in bytes.
const maxLine = 200

// lineMarker and seedMarker write the markers of the policies "auto" and "seed".
func lineMarker(in *Input, c *Candidate) string { return allRules().marker(in, c) }

func seedMarker(in *Input, c *Candidate) string { return marker.Seed(in.marked(c)) }

// isMarkerOf reports whether text is a marker of a result of the tool.
func isMarkerOf(text, tool string) bool {
	raw := fmt.Appendf(nil, `{"role":"toolResult","toolName":%s,"content":%s}`, message.AppendQuote(nil, tool), message.AppendQuote(nil, text))
	var p message.Parser
	h, err := p.ParseMessage(raw)
	return err == nil && marker.Is(&h, raw)
}
