package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Reason says why a tool result is pruned or kept.
type Reason struct {
	// Code is one of the Code constants. It is stable; programs may depend on it.
	Code string `json:"code"`
	// Text is a sentence for people.
	Text string `json:"text"`
}

// The codes of reasons that are not specific to the policy "auto".
const (
	CodeOld       = "old"       // pruned: older than the tool output that the policy keeps
	CodeTurn      = "turn"      // kept: within the newest user turns
	CodeTool      = "tool"      // kept: the policy does not prune this tool
	CodeBudget    = "budget"    // kept: within the budget for recent tool output
	CodeError     = "error"     // kept: the tool failed
	CodeMarked    = "marked"    // kept: it is already a marker
	CodeContent   = "content"   // kept: has content other than text and images
	CodeCompacted = "compacted" // kept: before a compaction summary
	CodeMinimum   = "minimum"   // kept: prunable, but below the minimum for a plan
	CodeNoRule    = "unasked"   // kept: no source mentioned it
)

// Edit replaces the content of one tool result, or trims one assistant message: it leaves
// out parts of it.
type Edit struct {
	// Index is the message's position in the input.
	Index int `json:"index"`
	// EntryID is the session entry of the message, "" when unknown.
	EntryID string `json:"entry_id,omitempty"`
	// ToolName is the tool that returned the result, "" for an assistant message.
	ToolName string `json:"tool_name"`
	// Tokens is the estimated size of the message before the edit.
	Tokens token.Count `json:"tokens"`
	// MarkerTokens is the estimated size of what replaces it.
	MarkerTokens token.Count `json:"marker_tokens"`
	// Marker is the replacement: for a tool result one line of text, for an assistant
	// message the remaining content as JSON.
	Marker string `json:"marker"`
	// Source is the name of the source that proposed the edit.
	Source string `json:"source"`
	// Reason is why the message is edited.
	Reason Reason `json:"reason"`
}

// Content is the JSON value that replaces the message's content. That of a tool result becomes an
// array with the marker as its only text block, because pi accepts no other kind of content
// there; images are dropped with the text.
func (e Edit) Content() []byte { return marker.Content(e.Marker) }

// Apply returns m with the edit applied.
func (e Edit) Apply(m Message) Message { return Replaced(m, e.EntryID, e.Marker) }

// Trims reports whether the edit trims an assistant message.
func (e Edit) Trims() bool { return marker.IsContent(e.Marker) }

// OnlyClears reports whether the edits only remove thinking that is or would become invalid.
func (p *Plan) OnlyClears() bool {
	return p.Fold == nil && !slices.ContainsFunc(p.Edits, func(e Edit) bool { return e.Source != clearedRule.name })
}

// Trimmed counts the edits that trim assistant messages.
func (p *Plan) Trimmed() int {
	n := 0
	for i := range p.Edits {
		if p.Edits[i].Trims() {
			n++
		}
	}
	return n
}

// Shortened counts the edits that shorten a result before the model sees it.
func (p *Plan) Shortened() int {
	n := 0
	for i := range p.Edits {
		if code := p.Edits[i].Reason.Code; code == CodeExcerpt || code == CodeAgain {
			n++
		}
	}
	return n
}

// Kept is a tool result that the plan leaves unchanged.
type Kept struct {
	// Index is the message's position in the input.
	Index int `json:"index"`
	// EntryID is the session entry of the message, "" when unknown.
	EntryID string `json:"entry_id,omitempty"`
	// ToolName is the tool that returned the result.
	ToolName string `json:"tool_name"`
	// Tokens is its estimated size.
	Tokens token.Count `json:"tokens"`
	// Reason is why it is kept.
	Reason Reason `json:"reason"`
}

// Plan lists what to change in a context, and why. The zero Plan changes nothing.
type Plan struct {
	// Acted is set when an edit does more than remove thinking that is invalid.
	Acted bool `json:"acted"`
	// Outcome is a sentence with both sides of the deciding comparison, such as "nothing:
	// 12,400 prunable tokens < 20,000 (prune.seed.minimum)".
	Outcome string `json:"outcome"`
	// Edits are in context order. Edits and Kept together name every tool result exactly
	// once.
	Edits []Edit `json:"edits"`
	// Fold is the beginning of the conversation that is to be folded, nil for none. The edits are
	// behind it.
	Fold *Fold `json:"-"`
	// Kept lists the unchanged tool results in context order. With Planner.Own it also
	// lists the output of commands that the user ran.
	Kept []Kept `json:"kept"`
	// ScannedTokens is the estimated size of all tool results after the last compaction
	// summary.
	ScannedTokens token.Count `json:"scanned_tokens"`
	// BeforeTokens is the estimated size of all messages without the edits.
	BeforeTokens token.Count `json:"before_tokens"`
	// AfterTokens is their size with the edits applied.
	AfterTokens token.Count `json:"after_tokens"`
	// PrunedTokens is the size of what the edits remove, without counting the markers that
	// replace it. The net saving is BeforeTokens - AfterTokens.
	PrunedTokens token.Count `json:"pruned_tokens"`
	// Figures are both sides of the decision, nil for a policy that ignores prices.
	Figures *Figures `json:"figures,omitempty"`
}
