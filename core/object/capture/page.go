package capture

import (
	"fmt"
	"strings"
)

// The limits of one read, as in pi's own tool.
const (
	pageLines = 2000
	pageBytes = 50 << 10
)

// Page returns the part of a text that a read shows: count lines, or all for 0, from line
// first, counted from 1. It ends with a note, in pi's words, about what was left out; whole
// is set when nothing was.
func Page(content string, first, count int) (text string, whole bool, err error) {
	lines := strings.Split(content, "\n")
	start := max(first, 1) - 1
	if start >= len(lines) {
		return "", false, fmt.Errorf("offset %d is beyond end of file (%d lines total)", first, len(lines))
	}
	end := len(lines)
	if count > 0 {
		end = min(start+count, end)
	}
	shown, size := start, 0
	for shown < min(end, start+pageLines) {
		size += len(lines[shown]) + 1
		if size > pageBytes {
			break
		}
		shown++
	}
	text = strings.Join(lines[start:shown], "\n")
	switch {
	case shown == start:
		return fmt.Sprintf("[Line %d is longer than %d bytes. Use bash: sed -n '%dp' FILE | head -c %d]", start+1, pageBytes, start+1, pageBytes), false, nil
	case shown < end:
		return fmt.Sprintf("%s\n\n[Showing lines %d-%d of %d. Use offset=%d to continue.]", text, start+1, shown, len(lines), shown+1), false, nil
	case shown < len(lines):
		return fmt.Sprintf("%s\n\n[%d more lines in file. Use offset=%d to continue.]", text, len(lines)-shown, shown+1), false, nil
	}
	return text, start == 0, nil
}
