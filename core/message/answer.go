package message

// Blocks returns how many content blocks a message has for a provider: the unit in which a
// cache's look-back counts.
func Blocks(h *Head) int {
	switch {
	case h == nil:
		return 0
	case h.Role == RoleToolResult, h.Content.Kind != ContentBlocks:
		return 1
	}
	return len(h.Content.Blocks)
}

// SameAnswer reports whether two assistant messages with only tool results between them are
// parts of one response. Some agents write a message per block, each with the provider's
// response id and the usage so far: the prompt is the same in all of them, the output may
// grow. Such a part is not a request of its own. Messages without an id are separate
// responses, and so are messages with the same id but different prompts, because some
// servers give every response the same id.
func SameAnswer(before, h *Head) bool {
	return before != nil && h.ResponseID != "" && h.ResponseID == before.ResponseID &&
		h.Usage.Prompt() == before.Usage.Prompt() && h.Model == before.Model
}

// Prompt returns the usage without the output.
func (u Usage) Prompt() Usage {
	u.Output = 0
	return u
}

// Voided reports whether an assistant message was aborted or failed; the agent does not
// send it again.
func Voided(m *Head) bool { return m.StopReason == "error" || m.StopReason == "aborted" }

// Unbilled reports whether an assistant message failed before its request was billed. One
// that was stopped after the provider had counted the prompt was paid for.
func Unbilled(m *Head) bool {
	return Voided(m) && m.Usage.Input+m.Usage.CacheRead+m.Usage.CacheWrite <= 0
}
