package text

import "strings"

// shellPlain are the signs that need no quotes in a word, beside letters and digits.
const shellPlain = "/._-+:@%="

// ShellWord quotes a word for a POSIX shell if necessary.
func ShellWord(s string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(shellPlain, r))
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
