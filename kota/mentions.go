package kota

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxPrompt is how much of a prompt is looked through, in bytes: a person names
// files at the beginning, what follows is pasted.
const maxPrompt = 64 << 10

// Tree is what a prompt may name files of.
type Tree struct {
	Root  string   // absolute, with slashes
	Dir   string   // the working directory relative to the root, "" for the root
	Files []string // relative to the root
}

// Mentions lists the files of a tree that a prompt names, each once, in the order
// they are named: by their path, from the root or the working directory, absolute,
// with slashes of either kind, quoted or not, with or without a line number; or by
// their name alone, when no other file has it. Addresses, versions, dates
// and packages are not files of the tree, and so are not named.
func Mentions(prompt string, t Tree) []string {
	m := newMentionFinder(t)
	for _, word := range wordsOf(prompt) {
		for _, spelling := range spellingsOf(word) {
			if f := m.find(spelling); f != "" {
				if !slices.Contains(m.found, f) {
					m.found = append(m.found, f)
				}
				break
			}
		}
	}
	return m.found
}

// MayMention reports whether a prompt may name a file, as far as names tell: one for
// which is returns true. What names none needs no tree to be looked at.
func MayMention(prompt string, is func(name string) bool) bool {
	for _, word := range wordsOf(prompt) {
		if slices.ContainsFunc(spellingsOf(word), is) {
			return true
		}
	}
	return false
}

// mentionFinder looks up names in a tree.
type mentionFinder struct {
	Tree
	files map[string]bool
	alone map[string]string // by name: its path, "" when several have it
	found []string
}

func newMentionFinder(t Tree) *mentionFinder {
	m := &mentionFinder{Tree: t, files: make(map[string]bool, len(t.Files)), alone: make(map[string]string, len(t.Files))}
	for _, f := range t.Files {
		m.files[f] = true
		base := path.Base(f)
		if _, again := m.alone[base]; again {
			m.alone[base] = ""
		} else {
			m.alone[base] = f
		}
	}
	return m
}

// find returns the file that a spelling names, "" for none.
func (m *mentionFinder) find(s string) string {
	if rest, ok := strings.CutPrefix(s, strings.TrimSuffix(m.Root, "/")+"/"); ok && m.Root != "" {
		if rest = path.Clean(rest); m.files[rest] {
			return rest
		}
		return ""
	}
	if path.IsAbs(s) {
		return ""
	}
	for _, p := range []string{path.Join(m.Dir, s), path.Clean(s)} {
		if m.files[p] {
			return p
		}
	}
	if strings.Contains(s, "/") {
		return ""
	}
	return m.alone[s]
}

// wordsOf splits a prompt at white space and quotes. What stands in quotes is a
// word, too, before its parts are: a path may have spaces.
func wordsOf(prompt string) []string {
	if len(prompt) > maxPrompt {
		prompt = strings.ToValidUTF8(prompt[:maxPrompt], "")
	}
	var out []string
	for line := range strings.Lines(prompt) {
		quotes := strings.ContainsFunc(line, isQuote)
		for _, part := range strings.FieldsFunc(line, isQuote) {
			if quotes && strings.ContainsAny(part, " ,;") {
				out = append(out, strings.TrimSpace(part))
			}
			for _, w := range strings.FieldsFunc(part, isBetween) {
				if !strings.Contains(w, "://") {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

func isQuote(r rune) bool { return strings.ContainsRune("`\"'“”‘’«»„", r) }

// isBetween reports whether no path goes on after a character, as people write them
// without quotes.
func isBetween(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|<>，；", r) }

// spellingsOf lists what path a word may be: itself, and without what surrounds a
// path in a sentence.
func spellingsOf(word string) []string {
	if _, target, ok := strings.Cut(word, "]("); ok { // a link
		word = strings.TrimRight(target, ").:!?")
	}
	word = strings.ReplaceAll(word, `\`, "/")
	var out []string
	add := func(s string) {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "file:"), "./")
		if strings.Contains(path.Base(s), ".") && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	bare := strings.TrimRight(word, ".:!?…。、！？*_")
	for _, s := range []string{word, bare, strings.TrimLeft(bare, "@([{*_=")} {
		add(s)
		add(withoutPlace(s))
		add(withoutPlace(strings.TrimRight(s, ")]}.:!?*_")))
	}
	return out
}

// withoutPlace takes the line and column off a path: a.ts:12:5, a.ts#L12-L20,
// a.ts(12,5).
func withoutPlace(s string) string {
	if i := strings.LastIndex(s, "#L"); i > 0 {
		return s[:i]
	}
	if i := strings.LastIndexByte(s, '('); i > 0 && isPlace(strings.TrimSuffix(s[i+1:], ")")) {
		return s[:i]
	}
	for {
		i := strings.LastIndexByte(s, ':')
		if i <= 0 || !isPlace(s[i+1:]) {
			return s
		}
		s = s[:i]
	}
}

// isPlace reports whether a text is numbers, or nothing.
func isPlace(s string) bool {
	return strings.Trim(s, "0123456789,-") == ""
}
