package record

import (
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Items reads the lists of a page such as AGENTS.md: each item outside of code blocks,
// with the heading above it as its reason.
func Items(page string) []Item {
	var out []Item
	heading, fence := "", ""
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(page, "\ufeff")) {
		n++
		line = strings.TrimRight(line, "\r\n")
		t := strings.TrimSpace(line)
		item := listItem(line)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case text.CodeFence(t) != "":
			fence = text.CodeFence(t)
		case strings.HasPrefix(t, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(t, "#"))
		case item != "" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t"):
			out = append(out, itemFound(item, heading, n))
		case t != "" && len(out) > 0 && strings.HasPrefix(line, "  ") && item == "":
			out[len(out)-1].Text += " " + t
		}
	}
	return out
}

// listItem is the text of an item of a list, with a bullet or a number. A task that is not
// done is a plan, not a decision.
func listItem(line string) string {
	if item := text.ListItem(line); item != "" {
		if strings.HasPrefix(item, "[ ] ") {
			return ""
		}
		return item
	}
	t := strings.TrimSpace(line)
	rest := strings.TrimLeft(t, "0123456789")
	if n := len(t) - len(rest); n == 0 || n > 3 || len(rest) < 2 || !strings.HasPrefix(rest, ". ") && !strings.HasPrefix(rest, ") ") {
		return ""
	}
	return strings.TrimSpace(rest[2:])
}

// itemFound is an item of a list, without its check box.
func itemFound(body, heading string, line int) Item {
	f := Item{Line: line}
	f.Text = strings.TrimSpace(body)
	for _, box := range []string{"[x] ", "[X] "} {
		f.Text = strings.TrimPrefix(f.Text, box)
	}
	f.Reason = heading
	return f
}
