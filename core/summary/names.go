package summary

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/message"
)

// names counts the names that a session is about: files, functions, tests, settings, and
// whatever was written as inline code. A reader searches for them.
type names struct {
	b     *Branch
	code  *regexp.Regexp
	score map[string]int
	first map[string]int // order of first mention
	seen  map[string]bool
}

func newNames(b *Branch) *names {
	return &names{b: b, code: regexp.MustCompile("`([^`\\s]{3,60})`"), score: make(map[string]int), first: make(map[string]int), seen: make(map[string]bool)}
}

// The weights of mentions.
const (
	byUser  = 4
	byModel = 2
	byCall  = 1
	byError = 3
)

// mention counts the names in a text, each once.
func (n *names) mention(text string, weight int) {
	if n == nil {
		return
	}
	clear(n.seen)
	for _, m := range n.code.FindAllStringSubmatch(text, -1) {
		if strings.ContainsFunc(m[1], unicode.IsLetter) && !isImport(m[1]) {
			n.add(m[1], weight)
		}
	}
	for _, word := range n.b.signs.name.FindAllString(text, -1) {
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

// call counts what a call names: paths, commands and patterns.
func (n *names) call(c message.Call) {
	if n == nil {
		return
	}
	for _, arg := range []string{"path", "command", "pattern"} {
		n.mention(argument(c.Arguments, arg), byCall)
	}
}

// isImport reports whether a word looks like a module rather than a file of the project:
// github.com/google/uuid.
func isImport(word string) bool {
	host, _, path := strings.Cut(word, "/")
	return path && strings.Contains(strings.TrimLeft(host, "."), ".")
}

// isName reports whether a word looks like an identifier, a file or a commit: parseHeader,
// src/app.ts, 3f9a2c1b. Words with one slash between them, as in read/write, do not.
func isName(word string) bool {
	if len(word) < 4 || len(word) > 80 || strings.Contains(word, "://") || word == "dev/null" || isImport(word) {
		return false
	}
	if at := strings.IndexByte(word, '@'); at > 0 && strings.Contains(word[at:], ".") {
		return false // an address
	}
	if dir, file := path.Split(word); dir != "" {
		return strings.Contains(file, ".") || strings.Count(dir, "/") > 1
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
		case r == '_', r == ':', r == '.':
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
