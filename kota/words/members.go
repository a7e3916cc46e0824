package words

import (
	"bytes"
	"strings"
)

// EachMember calls fn with the lines on which a name stands behind a dot, with what
// is before that, or before a colon or a parenthesis as the key of an object.
func EachMember(data, name []byte, fn func(line int, receiver string)) {
	line, from := 1, 0
	for {
		i := bytes.Index(data[from:], name)
		if i < 0 {
			return
		}
		at := from + i
		line += bytes.Count(data[from:at], []byte{'\n'})
		from = at + len(name)
		if at > 0 && wordByte(data[at-1]) || from < len(data) && wordByte(data[from]) {
			continue
		}
		before := bytes.TrimRight(data[max(0, at-64):at], " \t\r\n")
		rest, dotted := bytes.CutSuffix(before, []byte{'.'})
		if dotted || from < len(data) && (data[from] == ':' || data[from] == '(') {
			fn(line, receiver(rest))
		}
	}
}

// receiver is the name that a text ends with, without what says that it may be
// missing or is not.
func receiver(text []byte) string {
	text = bytes.TrimRight(text, "?! \t\r\n")
	i := len(text)
	for i > 0 && wordByte(text[i-1]) {
		i--
	}
	return string(text[i:])
}

func wordByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$' || c >= 0x80
}

// HasPath reports whether a line has a path of names, whatever white space or
// question marks stand around its dots.
func HasPath(line, path string) bool {
	squeezed := strings.NewReplacer("?.", ".", " ", "", "\t", "").Replace(line)
	for rest := squeezed; ; {
		i := strings.Index(rest, path)
		if i < 0 {
			return false
		}
		if rest = rest[i+len(path):]; rest == "" || !wordByte(rest[0]) {
			return true
		}
	}
}
