package message

// Blocks is how many content blocks a message is to a provider: what
// a cache's look-back counts.
func Blocks(h *Head) int {
	switch {
	case h == nil:
		return 0
	case h.Role == RoleToolResult, h.Content.Kind != ContentBlocks:
		return 1
	}
	return len(h.Content.Blocks)
}

// SameAnswer reports whether two assistant messages, with nothing but tool results
// between them, are parts of one answer of the model: some agents write a message
// for every block, each with the provider's id of the response and the usage so far:
// the prompt is the same in all, the output may grow. A part is not a call of its own.
// Messages without an id are answers of their own, and so are those of other prompts
// under one id: there are servers that give every response the same.
func SameAnswer(before, h *Head) bool {
	return before != nil && h.ResponseID != "" && h.ResponseID == before.ResponseID &&
		h.Usage.Prompt() == before.Usage.Prompt() && h.Model == before.Model
}

// Prompt is the part of a usage that the prompt of a request has.
func (u Usage) Prompt() Usage {
	u.Output = 0
	return u
}

// Voided reports whether an answer never counted: the agent does not send it again.
func Voided(m *Head) bool { return m.StopReason == "error" || m.StopReason == "aborted" }

// Unbilled reports whether only the failure of an answer is known: one that was stopped
// after the provider had counted its request was paid for.
func Unbilled(m *Head) bool {
	return Voided(m) && m.Usage.Input+m.Usage.CacheRead+m.Usage.CacheWrite <= 0
}
