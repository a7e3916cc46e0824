package prune

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Reason says why a tool result goes or stays.
type Reason struct {
	// Code is stable and meant for programs: one of the Code constants.
	Code string `json:"code"`
	// Text is a sentence for people.
	Text string `json:"text"`
}

// The codes of reasons. Other sources and protections bring their own.
const (
	CodeOld       = "old"       // pruned: outside the newest tool output
	CodeTurn      = "turn"      // kept: within the newest user turns
	CodeTool      = "tool"      // kept: the tool is not prunable
	CodeBudget    = "budget"    // kept: among the newest tool output
	CodeError     = "error"     // kept: the tool failed
	CodeMarked    = "marked"    // kept: it is a marker already
	CodeContent   = "content"   // kept: holds what cannot be replaced safely
	CodeCompacted = "compacted" // kept: before a compaction summary
	CodeMinimum   = "minimum"   // kept: prunable, but too little to act
	CodeNoRule    = "unasked"   // kept: no source had anything to say
)

// Edit replaces the content of one tool result, or leaves out parts of an answer.
type Edit struct {
	// Index is the message's position in the input.
	Index int `json:"index"`
	// EntryID is the session entry of the message, "" when that is not known.
	EntryID string `json:"entry_id,omitempty"`
	// ToolName is the tool whose result it is, "" for an answer.
	ToolName string `json:"tool_name"`
	// Tokens is the estimate of the message as it was.
	Tokens token.Count `json:"tokens"`
	// MarkerTokens is the estimate of what stands in its place.
	MarkerTokens token.Count `json:"marker_tokens"`
	// Marker is the text that replaces the content, one line; of an answer it is the
	// content that is left, as JSON.
	Marker string `json:"marker"`
	// Source names the source that proposed the edit.
	Source string `json:"source"`
	// Reason says why.
	Reason Reason `json:"reason"`
}

// AppendTo appends the message raw, whose head is h, with the edit applied: its
// content is the marker as the one text block of an array, which is the only
// kind of content pi accepts in a tool result; images go with the text. Every
// other byte is copied as it stands.
func (e Edit) AppendTo(dst, raw []byte, h *message.Head) []byte {
	return message.AppendWithContent(dst, raw, h, e.Content())
}

// Content is the JSON value that replaces the message's content.
func (e Edit) Content() []byte { return marker.Content(e.Marker) }

// Apply returns the message, which is m, with the edit applied: calls at or after
// the position since in the context saw the marker.
func (e Edit) Apply(m Message, since int) Message {
	return replaced(m, e.EntryID, e.Marker, e.Tokens, since)
}

// Trims reports whether the edit is one of an answer.
func (e Edit) Trims() bool { return marker.IsContent(e.Marker) }

// Trimmed counts the edits that are of answers.
func (p *Plan) Trimmed() int {
	n := 0
	for i := range p.Edits {
		if p.Edits[i].Trims() {
			n++
		}
	}
	return n
}

// Kept is a tool result that stays as it is.
type Kept struct {
	// Index is the message's position in the input.
	Index int `json:"index"`
	// EntryID is the session entry of the message, "" when that is not known.
	EntryID string `json:"entry_id,omitempty"`
	// ToolName is the tool whose result it is.
	ToolName string `json:"tool_name"`
	// Tokens is the estimate of the result.
	Tokens token.Count `json:"tokens"`
	// Reason says why it stays.
	Reason Reason `json:"reason"`
}

// Plan is what to change in a context, and why. The zero Plan changes nothing.
type Plan struct {
	// Acted is set when there is something to change.
	Acted bool `json:"acted"`
	// Outcome is a sentence with both sides of the comparison that decided, such
	// as "nothing: 12,400 prunable tokens < 20,000 (prune.seed.minimum)".
	Outcome string `json:"outcome"`
	// Edits are in context order. Together with Kept they name every tool result
	// exactly once.
	Edits []Edit `json:"edits"`
	// Kept are the tool results that stay, in context order. A planner may name
	// the output of the user's own commands among them.
	Kept []Kept `json:"kept"`
	// ScannedTokens is the size of all tool results after the last compaction
	// summary.
	ScannedTokens token.Count `json:"scanned_tokens"`
	// BeforeTokens is the size of all messages as they were.
	BeforeTokens token.Count `json:"before_tokens"`
	// AfterTokens is their size with the edits applied.
	AfterTokens token.Count `json:"after_tokens"`
	// PrunedTokens is the size of the replaced results as they were. What was
	// freed is less by the markers: BeforeTokens - AfterTokens.
	PrunedTokens token.Count `json:"pruned_tokens"`
	// Figures are both sides of the decision, nil where the policy compares no
	// prices.
	Figures *Figures `json:"figures,omitempty"`
}
