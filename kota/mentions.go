package kota

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxPrompt is how many bytes of a prompt are searched. People name files at the beginning; what
// follows is pasted.
const maxPrompt = 64 << 10

// Tree is the tree whose files a prompt may name.
type Tree struct {
	Root  string   // absolute, with slashes
	Dir   string   // the working directory relative to the root, "" for the root
	Files []string // relative to the root
}

// Mentions lists the files of a tree that a prompt names, each once, in order. A file is named by
// its path, relative to the root or the working directory or absolute, with slashes of either
// kind, quoted or not, with or without a line number; or by its base name when that is unique.
// URLs, versions, dates and packages match no file and so are not listed.
func Mentions(prompt string, t Tree) []string {
	files, alone := make(map[string]bool, len(t.Files)), make(map[string]string, len(t.Files))
	for _, f := range t.Files {
		base := path.Base(f)
		_, again := alone[base]
		files[f], alone[base] = true, f
		if again {
			alone[base] = ""
		}
	}
	root := strings.TrimSuffix(t.Root, "/") + "/"
	return named(prompt, func(s string) string {
		rest, below := strings.CutPrefix(s, root)
		candidates := []string{path.Join(t.Dir, s), path.Clean(s)}
		switch {
		case below && t.Root != "":
			candidates = []string{path.Clean(rest)}
		case path.IsAbs(s):
			return ""
		}
		for _, p := range candidates {
			if files[p] {
				return p
			}
		}
		return alone[s]
	})
}

// named lists the files that the words of a text name, each once, in order. find returns the file that a
// spelling means, "" for none.
func named(text string, find func(spelling string) string) (out []string) {
	for _, word := range wordsOf(text) {
		for _, spelling := range spellingsOf(word) {
			if f := find(spelling); f != "" {
				if !slices.Contains(out, f) {
					out = append(out, f)
				}
				break
			}
		}
	}
	return out
}

// MayMention reports whether a prompt contains a word for which is returns true. If not, it names
// no file, and the tree need not be listed.
func MayMention(prompt string, is func(name string) bool) bool {
	for _, word := range wordsOf(prompt) {
		if slices.ContainsFunc(spellingsOf(word), is) {
			return true
		}
	}
	return false
}

// NamedIn lists the files that a question names by a path, each once, in order. The path may begin
// in any directory of the tree, or be that of a copy elsewhere, as in a stack trace or a link. A
// bare name is not enough: programs have such names, too. files lists the tree, and is called only
// when the question has paths of code.
func NamedIn(question string, isCode func(name string) bool, files func() []string) []string {
	question = strings.ReplaceAll(question, "://", "/")
	isPath := func(s string) bool { return strings.Contains(s, "/") && isCode(s) }
	if !MayMention(question, isPath) {
		return nil
	}
	byBase := make(map[string][]string)
	for _, f := range files() {
		byBase[path.Base(f)] = append(byBase[path.Base(f)], f)
	}
	return named(question, func(s string) string {
		if !isPath(s) {
			return ""
		}
		return meant(byBase[path.Base(s)], s)
	})
}

// meant returns the file whose path is p; or else the one with the longest path that p ends with,
// if that has a directory; or else the only one whose path ends with p; "" when there is none.
func meant(files []string, p string) string {
	p = path.Clean("/" + p)
	within, ending, endings := "", "", 0
	for _, f := range files {
		whole := "/" + f
		switch {
		case whole == p:
			return f
		case strings.HasSuffix(p, whole) && strings.Contains(f, "/") && len(f) > len(within):
			within = f
		case strings.HasSuffix(whole, p):
			ending = f
			endings++
		}
	}
	if within == "" && endings == 1 {
		return ending
	}
	return within
}

// wordsOf splits a prompt at white space and quotes. A quoted text is also a word, before its
// parts: a path may contain spaces.
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

// isBetween reports whether a character separates unquoted paths.
func isBetween(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|<>，；", r) }

// spellingsOf lists the paths that a word may stand for: the word itself, and the word without
// the punctuation around it.
func spellingsOf(word string) []string {
	if _, target, ok := strings.Cut(word, "]("); ok { // a Markdown link
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

// withoutPlace removes the line and column from a path: a.ts:12:5, a.ts#L12-L20, a.ts(12,5).
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

// isPlace reports whether a text is empty or consists of numbers, as "12" and "12,5" do.
func isPlace(s string) bool {
	return strings.Trim(s, "0123456789,-") == ""
}
