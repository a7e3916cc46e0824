package policy

// CodeThinking: trimmed, thinking of an earlier turn.
const CodeThinking = "thinking"

// thinkingRule proposes the thinking of turns that are over, whole blocks only. Providers
// need the thinking of the current turn; some drop that of earlier turns themselves.
var thinkingRule = rule{
	name: "thinking", code: CodeThinking, source: func(AutoSettings) Source { return thinkingSource{} },
	words: words{report: "thinking of an earlier turn"},
}

// minThinking is the size in tokens below which thinking stays, as pi estimates it: every
// edit costs an entry of the session.
const minThinking = 40

// minThinkingChars is minThinking in characters.
const minThinkingChars = 4 * minThinking

// thinkingSource is the source of thinkingRule.
type thinkingSource struct{}

// Name implements Source.
func (thinkingSource) Name() string { return thinkingRule.name }

// Propose implements Source.
func (thinkingSource) Propose(in *Input) Proposals {
	var out Proposals
	if in.Situation.Message == nil {
		return out
	}
	gone := Reason{CodeThinking, "thinking of an earlier turn"}
	for _, a := range in.Answers() {
		if a.Closed && !a.Signed && a.Message.Head.Content.Thinking >= minThinkingChars {
			out.Prune = append(out.Prune, Proposal{Index: a.Index, Reason: gone, Trim: Trim{Thinking: true}})
		}
	}
	return out
}
