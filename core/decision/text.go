package decision

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/secret"
)

// The maximum lengths.
const (
	MaxText  = 4096 // bytes of a text, a reason or a note
	MaxTag   = 40   // characters of a tag
	MaxTags  = 20   // tags of a decision
	maxTitle = 80   // characters of a title
)

// TextError is returned for an invalid text, tag, glob, day or query. What says
// which of text and query it is.
type TextError struct{ What, Cause string }

// Error implements error.
func (e *TextError) Error() string { return "check " + e.What + ": " + e.Cause }

// Clean checks a text of at most MaxText bytes, trims it and turns line ends into \n. The
// error is a TextError.
func Clean(text string) (string, error) { return CleanTo(text, MaxText) }

// CleanTo is Clean for a text of at most limit bytes.
func CleanTo(text string, limit int) (string, error) {
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	switch {
	case text == "":
		return "", &TextError{"text", "it is empty"}
	case len(text) > limit:
		return "", &TextError{"text", fmt.Sprintf("it has %d bytes, at most %d", len(text), limit)}
	case !utf8.ValidString(text):
		return "", &TextError{"text", "it is not UTF-8"}
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return "", &TextError{"text", fmt.Sprintf("it holds the control character %U", r)}
		}
	}
	return text, nil
}

// CleanTag normalizes a tag: without white space and #, in lower case.
func CleanTag(tag string) (string, error) {
	t := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(tag), "#"))
	bad := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_./:+", r)
	}
	if t == "" || utf8.RuneCountInString(t) > MaxTag || strings.ContainsFunc(t, bad) {
		return "", &TextError{"text", fmt.Sprintf("invalid tag %q: want 1 to %d letters, digits or -_./:+", tag, MaxTag)}
	}
	return t, nil
}

// TitleOf returns the title of a text: its first line, cut at a word.
func TitleOf(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	title := CutWord(first, maxTitle)
	if rest != "" && !strings.HasSuffix(title, "…") && utf8.RuneCountInString(title) < maxTitle {
		title += "…"
	}
	return title
}

// OwnTitle returns the title of a decision when it differs from the beginning of the text,
// as in imported records, else "".
func (d *Decision) OwnTitle() string {
	title := strings.TrimSpace(strings.TrimSuffix(d.Title, "…"))
	if title == "" || strings.HasPrefix(strings.TrimSpace(d.Text), title) {
		return ""
	}
	return d.Title
}

// Named returns the text of a decision, preceded by its own title if it has one.
func (d *Decision) Named() string {
	if title := d.OwnTitle(); title != "" {
		return title + ": " + d.Text
	}
	return d.Text
}

// Heading returns the title of a decision, or one derived from its text.
func (d *Decision) Heading() string {
	if title := d.OwnTitle(); title != "" {
		return title
	}
	return TitleOf(d.Text)
}

// CutWord cuts a text to at most limit characters and ends it with "…". It cuts at a word
// boundary if there is one in the second half, and never inside a character.
func CutWord(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	end := fence.CutBefore(text, offset(text, limit-1))
	cut := text[:end]
	if r, _ := utf8.DecodeRuneInString(text[end:]); !unicode.IsSpace(r) {
		if i := strings.LastIndexFunc(cut, unicode.IsSpace); i*2 >= len(cut) {
			cut = cut[:i]
		}
	}
	return strings.TrimRightFunc(cut, unicode.IsSpace) + "…"
}

// offset returns where a character of a text begins, by its number.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// CheckSecrets returns an error when a text looks like a key, for the log is shared. what names
// the operation.
func CheckSecrets(what, body string) error {
	if kinds := Secrets(body); len(kinds) > 0 {
		return fmt.Errorf("%s: it looks like %s, and the log is shared", what, strings.Join(kinds, ", "))
	}
	return nil
}

// Secrets returns the kinds of keys that a text appears to contain.
func Secrets(text string) []string { return SecretFinder()(text) }

// SecretFinder returns Secrets for many texts: keys of known formats, and passwords that are
// named as such.
func SecretFinder() func(text string) []string {
	known, _ := secret.New(nil, true) // no pattern that could be invalid
	password := regexp.MustCompile(`(?i)\b(password|passwd|secret|api[_-]?key|access[_-]?token)\s*[=:]\s*['"]?[A-Za-z0-9+/_.~!@$%^&*-]{12,}`)
	address := regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@]{6,}@`)
	return func(text string) []string {
		var out []string
		for _, k := range known.Find(text) {
			out = append(out, "a key ("+k.Kind+")")
		}
		if password.MatchString(text) {
			out = append(out, "a password")
		}
		if address.MatchString(text) {
			out = append(out, "a password in an address")
		}
		return out
	}
}
