package summary

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// names counts the names that a session is about: files, functions, tests, settings, and
// whatever was written as inline code. A reader searches for them.
type names struct {
	b     *Branch
	name  *regexp.Regexp
	code  *regexp.Regexp
	made  *regexp.Regexp
	score map[string]int
	first map[string]int // order of first mention
	seen  map[string]bool
}

func newNames(b *Branch) *names {
	return &names{
		b:     b,
		name:  regexp.MustCompile(`[A-Za-z0-9_$@#~.][\w./:@$#-]*\w`),
		code:  regexp.MustCompile("`([^`\n]{3,60})`"),
		made:  regexp.MustCompile(`(?m)^[ \t]*(?:(?:export|default|async|public|private|static|pub)\s+)*(?:func|function|class|type|interface|struct|def|fn|const|enum|trait)\s+(?:\([^)\n]*\)\s*)?(\w{4,})`),
		score: make(map[string]int), first: make(map[string]int), seen: make(map[string]bool),
	}
}

// The weights of mentions.
const (
	byUser  = 4
	byModel = 2
	byCall  = 1
	byEdit  = 3 // defined in an edit
	byError = 3
)

// mention counts the names in a text, each once.
func (n *names) mention(text string, weight int) {
	if n == nil {
		return
	}
	clear(n.seen)
	for _, m := range n.code.FindAllStringSubmatch(text, -1) {
		if strings.ContainsAny(m[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
			n.add(m[1], weight)
		}
	}
	for _, word := range n.name.FindAllString(text, -1) {
		if word = n.b.relative(strings.Trim(word, ".:/#$@-")); isName(word) {
			n.add(word, weight)
		}
	}
}

// add counts a mention.
func (n *names) add(name string, weight int) {
	name = strings.TrimSuffix(name, "()")
	if n.seen[name] {
		return
	}
	n.seen[name] = true
	if _, known := n.first[name]; !known {
		n.first[name] = len(n.first)
	}
	n.score[name] += weight
}

// call counts what a call names: paths, commands, patterns, and what an edit defines.
func (n *names) call(c message.Call) {
	if n == nil {
		return
	}
	for _, arg := range []string{"path", "command", "pattern"} {
		n.mention(argument(c.Arguments, arg), byCall)
	}
	if c.Name != "edit" && c.Name != "write" {
		return
	}
	clear(n.seen)
	for _, m := range n.made.FindAllStringSubmatch(message.Unquote(c.Arguments), -1) {
		n.add(m[1], byEdit)
	}
}

// isName reports whether a word looks like an identifier, path or commit: parseHeader,
// src/app.ts, 3f9a2c1b.
func isName(word string) bool {
	if len(word) < 4 || len(word) > 80 || strings.Contains(word, "://") || word == "dev/null" {
		return false
	}
	if at := strings.IndexByte(word, '@'); at > 0 && strings.Contains(word[at:], ".") {
		return false // an address
	}
	lower, digit, letters := false, false, 0
	for i, r := range word {
		switch {
		case r >= 'A' && r <= 'Z':
			if lower && i > 0 {
				return true // camelCase
			}
			letters++
		case r >= 'a' && r <= 'z':
			lower = true
			letters++
		case r >= '0' && r <= '9':
			digit = true
		case r == '_', r == '/', r == ':', r == '.':
			if letters > 1 && i+1 < len(word) && word[i+1] > '9' {
				return true
			}
		}
	}
	return digit && len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == "" && letters > 0 // a commit
}

// ranked returns the names by weight of their mentions.
func (n *names) ranked() []string {
	var out []string
	for name, score := range n.score {
		if score >= byModel+byCall {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, z string) int {
		return cmp.Or(cmp.Compare(n.score[z], n.score[a]), cmp.Compare(n.first[a], n.first[z]))
	})
	return out
}

// labelChars bounds the prompt in a label.
const labelChars = 90

// Label describes a node to a person: the first prompt in what it covers and how many more
// there are, or the earlier prompt that it continues; failing that, the beginning of its
// text.
func (v *View) Label(p *PlacedNode) string {
	if label := v.prompts(p.Start, p.End); label != "" {
		return label
	}
	return firstLine(Gist(p.Text), lineChars)
}

// prompts describes a range of units by its prompts.
func (v *View) prompts(start, end int) string {
	if v.Branch == nil || v.Branch.line == nil { // a view of nodes without a session
		return ""
	}
	first, more := "", 0
	for i := start; i < end; i++ {
		switch {
		case v.Branch.Units[i].Message.Role != message.RoleUser:
		case first == "":
			first = v.prompt(i)
		default:
			more++
		}
	}
	switch {
	case more > 0:
		return fmt.Sprintf("%s (and %d more)", first, more)
	case first != "":
		return first
	}
	for i := start - 1; i >= 0; i-- {
		if v.Branch.Units[i].Message.Role == message.RoleUser {
			if before := v.prompt(i); before != "" {
				return "goes on with " + before
			}
		}
	}
	return ""
}

// prompt returns the beginning of a unit's text in quotes, "" without any.
func (v *View) prompt(unit int) string {
	u := &v.Branch.Units[unit]
	line, err := v.Branch.line(u.Node)
	if err != nil {
		return "" // only a label: show the rest without it
	}
	said := fence.OneLine(string(u.AppendBody(nil, line)), labelChars)
	if said == "" {
		return ""
	}
	return `"` + said + `"`
}
