package message

import "strings"

// Spoken splits a prompt into what its user wrote and the skills and files that the agent put
// before it, of which it returns the names, as in "[skill release]".
func Spoken(prompt string) (names []string, text string) {
	for _, tag := range []string{"skill", "file"} {
		for strings.HasPrefix(prompt, "<"+tag+` name="`) {
			head, _, rest := Element(prompt)
			if rest == prompt {
				break
			}
			name, _, _ := strings.Cut(head[len(tag+` name="`):], `"`)
			names, prompt = append(names, "["+tag+" "+name+"]"), rest
		}
	}
	return names, strings.TrimSpace(prompt)
}

// Element splits a text that begins with an element, such as <skill name="x">…</skill>, into
// its name with the attributes, its content, and what follows. Of any other text all follows.
func Element(text string) (head, content, rest string) {
	open, inner, ok := strings.Cut(text, ">")
	name, _, _ := strings.Cut(strings.TrimPrefix(open, "<"), " ")
	content, rest, closed := strings.Cut(inner, "</"+name+">")
	if !ok || !closed || !strings.HasPrefix(text, "<") || name == "" || strings.ContainsAny(name, "\n</") {
		return "", "", text
	}
	return open[1:], content, strings.TrimSpace(rest)
}
