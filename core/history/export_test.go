package history

// RejectsRegex reports whether a line is rejected unread for a regular expression, and whether
// its text holds it.
func RejectsRegex(pattern string, raw []byte, text string) (rejects, holds bool) {
	re, err := NewRegex(pattern, false)
	if err != nil {
		return false, false
	}
	return re.Rejects(raw), re.Held(text) != 0
}

// BatchBytes is about how large a batch gets.
const BatchBytes = batchBytes
