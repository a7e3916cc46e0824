// Package mention finds out which files a user has named. What a person calls by its name
// is what the conversation is about: a model comes back to such a file much later than to
// one that it found by itself.
package mention

import (
	"bytes"
	"iter"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how much of a prompt is read, in bytes. What is longer is pasted, and the names
// in a log are not the user's.
const maxText = 4000

// Files are the files of a conversation, by number, and the names that its user has used.
// The zero Files is ready for use.
type Files struct {
	named map[string]bool
	known map[string][]int // files by the last element of their path
}

// Know adds a file, and reports whether it has been named.
func (f *Files) Know(file string, number int) bool {
	if f.known == nil {
		f.known = make(map[string][]int)
	}
	name := path.Base(file)
	f.known[name] = append(f.known[name], number)
	return f.named[name]
}

// Note reads what the user wrote. It calls each for every known file that is named for the
// first time.
func (f *Files) Note(text []byte, each func(number int)) {
	for word := range dotted(text[:min(len(text), maxText)]) {
		name := path.Base(strings.Trim(string(word), ".-/"))
		if dot := strings.LastIndexByte(name, '.'); dot <= 0 || dot == len(name)-1 || f.named[name] {
			continue
		}
		if f.named == nil {
			f.named = make(map[string]bool)
		}
		f.named[name] = true
		for _, number := range f.known[name] {
			each(number)
		}
	}
}

// dotted yields the words of a text that have a dot with something after it. There are few
// of those, and looking for dots is much faster than looking at every character.
func dotted(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			dot := bytes.IndexByte(text, '.')
			if dot < 0 {
				return
			}
			end := len(text)
			if n := bytes.IndexFunc(text[dot:], separates); n >= 0 {
				end = dot + n
			}
			if end-dot > 1 {
				start := 0
				if last := bytes.LastIndexFunc(text[:dot], separates); last >= 0 {
					_, n := utf8.DecodeRune(text[last:])
					start = last + n
				}
				if !yield(text[start:end]) {
					return
				}
			}
			text = text[end:]
		}
	}
}

// separates reports whether a character cannot be part of a path.
func separates(r rune) bool {
	if r < utf8.RuneSelf {
		letter, digit := r|0x20 >= 'a' && r|0x20 <= 'z', r >= '0' && r <= '9'
		return !letter && !digit && r != '.' && r != '_' && r != '-' && r != '/'
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
