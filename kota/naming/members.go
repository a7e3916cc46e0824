package naming

import (
	"bytes"
	"regexp"
	"strings"
)

// Typed are the names that a file declares with a type: "a: T", "a = new T",
// "a = b as T".
func Typed(data []byte, owner string) map[string]bool {
	out := make(map[string]bool)
	re, err := regexp.Compile(`([\w$]+)\s*[?!]?\s*(?::\s*(?:readonly\s+)?|=\s*(?:await\s+)?new\s+|(?::[^=\n]*)?=[^=;\n]*\bas\s+)(?:[\w$]+\.)*` + regexp.QuoteMeta(owner) + `(?:[^\w$.]|$)`)
	if err != nil {
		return out
	}
	for _, x := range re.FindAllSubmatch(data, -1) {
		out[string(x[1])] = true
	}
	return out
}

// Alike reports whether the name of a variable is like that of a type: "page" and "currentPage" are like
// Page, and "options" is like QueryOptions.
func Alike(name, owner string) bool {
	name, owner = bare(name), bare(owner)
	return name != "" && owner != "" && (strings.HasSuffix(name, owner) || len(name) > 3 && strings.HasSuffix(owner, name))
}

// bare returns a name in lower case without signs around it and the number that a bundler puts
// behind it: "Cart$1" is Cart.
func bare(name string) string {
	if before := strings.TrimRight(name, "0123456789"); strings.HasSuffix(before, "$") {
		name = before
	}
	return strings.ToLower(strings.Trim(name, "_$"))
}

// EachMember calls fn with the lines on which a name stands behind a dot, with what
// is before that, or before a colon or a parenthesis as the key of an object.
func EachMember(data, name []byte, fn func(line int, receiver string, dotted bool)) {
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
			fn(line, receiver(rest), dotted)
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
