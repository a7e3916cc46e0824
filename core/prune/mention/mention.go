// Package mention finds out which files a user has named. What a person calls by its name
// is what the conversation is about: a model comes back to such a file much later than to
// one that it found by itself.
package mention

import (
	"path"
	"strings"
	"unicode"
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
func (f *Files) Note(text string, each func(number int)) {
	for word := range strings.FieldsFuncSeq(text[:min(len(text), maxText)], separates) {
		name := path.Base(strings.Trim(word, ".-/"))
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

// separates reports whether a character cannot be part of a path.
func separates(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/", r)
}
