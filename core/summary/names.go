package summary

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// names counts the names that a session is about: files, functions, tests and settings. A
// reader searches for them.
type names struct {
	b     *Branch
	score map[string]int
	order []string // of first mention
}

// The weights of mentions.
const (
	byUser  = 4
	byError = 3
	byModel = 2
	byCall  = 1
)

// mention counts the names in a text, each once.
func (n *names) mention(text string, weight int) {
	if n == nil {
		return
	}
	words := n.b.signs.name.FindAllString(text, -1)
	for i, word := range words {
		words[i] = n.b.relative(strings.Trim(word, ".:/#$@-"))
	}
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		if !n.b.signs.isName(word) {
			continue
		}
		if n.score[word] == 0 {
			n.order = append(n.order, word)
		}
		n.score[word] += weight
	}
}

// isName reports whether a word looks like an identifier, a file or a commit. Addresses,
// modules such as github.com/google/uuid, and words with one slash between them, as in
// read/write, do not.
func (s *signs) isName(word string) bool {
	host, _, isPath := strings.Cut(word, "/")
	if len(word) < 4 || len(word) > 80 || strings.ContainsAny(word, "@") || isPath && strings.Contains(strings.TrimLeft(host, "."), ".") || strings.Contains(word, "://") {
		return false
	}
	if dir, file := path.Split(word); dir != "" {
		return strings.Contains(file, ".") || strings.Count(dir, "/") > 1
	}
	return s.named.MatchString(word) && (len(word) > 6 || strings.Trim(word, "0123456789abcdef") != "")
}

// ranked returns the names by weight of their mentions.
func (n *names) ranked() []string {
	out := slices.DeleteFunc(slices.Clone(n.order), func(name string) bool { return n.score[name] <= byModel })
	slices.SortStableFunc(out, func(a, z string) int { return cmp.Compare(n.score[z], n.score[a]) })
	return out
}
