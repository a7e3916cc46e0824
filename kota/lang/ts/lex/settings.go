package lex

import "bytes"

// EachString calls fn with every string that is the value of a key, or an element of that value,
// and with the enclosing keys, outermost first: a configuration read without running it.
func EachString(data []byte, fn func(keys []string, text string)) {
	type brace struct {
		key    string
		opened int
	}
	var stack []brace
	key, opened := "", 0 // brackets and parentheses since the innermost brace
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '/' && i+1 < len(data) && (data[i+1] == '/' || data[i+1] == '*'):
			i = skipComment(data, i)
			continue
		case c == '"' || c == '\'' || c == '`':
			end := stringEnd(data, i)
			text := string(data[i+1 : max(end-1, i+1)])
			if i = end; nextByte(data, i) == ':' {
				key = text
			} else if key != "" && len(stack) < maxNesting {
				var keys []string
				for _, b := range stack {
					if b.key != "" {
						keys = append(keys, b.key)
					}
				}
				fn(append(keys, key), text)
			}
			continue
		case c == '{':
			stack, key, opened = append(stack, brace{key, opened}), "", 0
		case c == '}' && len(stack) > 0:
			opened, key = stack[len(stack)-1].opened, ""
			stack = stack[:len(stack)-1]
		case c == '[' || c == '(':
			opened++
		case (c == ']' || c == ')') && opened > 0:
			opened--
		case c == ',' && opened == 0:
			key = ""
		case isWord(c):
			end := i
			for end < len(data) && isWord(data[end]) {
				end++
			}
			if nextByte(data, end) == ':' {
				key = string(data[i:end])
			}
			i = end
			continue
		}
		i++
	}
}

// maxNesting is the depth to which braces in a configuration are read.
const maxNesting = 32

func isWord(c byte) bool { return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$' }

// nextByte returns the first byte from i on that is not white space, 0 at the end.
func nextByte(data []byte, i int) byte {
	for ; i < len(data); i++ {
		if c := data[i]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(data []byte, i int) int {
	quote := data[i]
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(data)
}

// skipComment returns the index after the comment that begins at i.
func skipComment(data []byte, i int) int {
	end := "\n"
	if data[i+1] == '*' {
		end = "*/"
	}
	if n := bytes.Index(data[i+2:], []byte(end)); n >= 0 {
		return i + 2 + n + len(end)
	}
	return len(data)
}
