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

// names counts the names that a session is about: of files, functions, tests, settings,
// and whatever was set in quotes of code. They are what its reader searches for.
type names struct {
	b     *Branch
	name  *regexp.Regexp
	code  *regexp.Regexp
	made  *regexp.Regexp
	score map[string]int
	first map[string]int // where a name was first mentioned
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

// The weights of a mention.
const (
	byUser  = 4
	byModel = 2
	byCall  = 1
	byEdit  = 3 // defined by it
	byError = 3
)

// mention counts the names of a text, each once for a message.
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

// isName reports whether a word looks like a name of something in code.
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

// ranked are the names by how much they were mentioned.
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

// labelChars is how long the prompt in a label may get.
const labelChars = 90

// Label says what a node is about, for a person: the first prompt in what it covers and how
// many come after it, or the prompt that it goes on with. It is the beginning of its text
// when there was none.
func (v *View) Label(p *PlacedNode) string {
	if label := v.prompts(p.Start, p.End); label != "" {
		return label
	}
	return firstLine(Gist(p.Text), lineChars)
}

// prompts names the prompts among some units.
func (v *View) prompts(start, end int) string {
	if v.Branch == nil || v.Branch.line == nil { // a view that was made by hand, of nodes alone
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

// prompt is the beginning of a unit's text in quotes, "" when it has none.
func (v *View) prompt(unit int) string {
	u := &v.Branch.Units[unit]
	line, err := v.Branch.line(u.Node)
	if err != nil {
		return "" // it is a name, and no reason to show nothing
	}
	said := fence.OneLine(string(u.AppendBody(nil, line)), labelChars)
	if said == "" {
		return ""
	}
	return `"` + said + `"`
}
