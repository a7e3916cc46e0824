package text

import "strings"

// ListItem is the text of an item of a Markdown list, "" for any other line.
func ListItem(line string) string {
	t := strings.TrimSpace(line)
	for _, b := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(t, b); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// CodeFence is the fence with which a line begins a code block in Markdown, "" for any
// other line.
func CodeFence(line string) string {
	for _, sign := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, sign))
		if n >= 3 && !(sign == "`" && strings.Contains(line[n:], "`")) {
			return strings.Repeat(sign, n)
		}
	}
	return ""
}
