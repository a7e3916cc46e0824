package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sign is what a line says of the success of a command.
type sign uint8

const (
	silent sign = iota
	helps       // a warning, what was expected, a place, a total, a heading
	wrong       // what went wrong
	failed      // what failed, by name
)

// marks stand in front of what failed.
const marks = "✗✕×✖❌●"

// signOf returns what a line says. A line of something that went well says nothing, whatever it is
// called.
func signOf(line string) sign {
	text := strings.TrimSpace(line)
	switch {
	case text == "" || goesWell(text):
		return silent
	case namesFailure(text):
		return failed
	}
	lower := strings.ToLower(text)
	s := silent
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < utf8.RuneSelf && !isLetter(byte(r)|0x20) }) {
		s = max(s, signOfWord(word))
	}
	if s < wrong && (strings.HasPrefix(line, "> ") || strings.HasPrefix(text, "goroutine ") || hasAny(lower,
		"could not", "couldn't", "can't", "not found", "no such", "timed out", "exit code", "exit status", "exited with", "data race", "not ok", "unable to")) {
		return wrong
	}
	if s == silent && (isHeading(line) || hasPlace(text) || strings.Contains(lower, "files changed") || strings.Contains(lower, "caused by")) {
		return helps
	}
	return s
}

func hasAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func hasAnyPrefix(text string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// goesWell reports whether a line, in the form of a test runner, says that something went well.
func goesWell(text string) bool {
	return hasAnyPrefix(text, "=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS", "--- SKIP", "ok ", "ok\t", "PASS", "✓", "√", "✔", "(pass)") ||
		strings.HasSuffix(text, "... ok") || strings.Contains(text, " PASSED")
}

// namesFailure reports whether a line, in the form of a test runner or a compiler, names what
// failed.
func namesFailure(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return hasAnyPrefix(text, "--- FAIL", "FAIL", "ERROR", "not ok", "E  ", "error[", "error:") || strings.ContainsRune(marks, first) ||
		strings.HasSuffix(text, " FAILED") || strings.HasSuffix(text, " FAIL") || hasAny(text, ": error:", ": fatal error:")
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || b >= utf8.RuneSelf }

// signOfWord returns the sign of a word.
func signOfWord(word string) sign {
	switch strings.ToLower(word) {
	case "error", "errors", "errno", "fail", "fails", "failed", "failing", "failure", "failures", "fatal", "panic", "panicked", "traceback",
		"abort", "aborted", "aborting", "denied", "refused", "rejected", "unresolved", "undefined", "undeclared", "cannot", "missing",
		"conflict", "conflicts", "critical", "segmentation", "killed":
		return wrong
	case "warn", "warning", "warnings", "deprecated", "vulnerability", "vulnerabilities", "vulnerable", "severity", "expected", "actual", "received",
		"assert", "assertion", "got", "want", "required", "note", "hint", "help", "summary", "total", "skipped", "suites":
		return helps
	}
	for _, kind := range [...]string{"Error", "Exception", "Failure"} {
		if strings.HasSuffix(word, kind) {
			return wrong
		}
	}
	return silent
}

// isHeading reports whether a line names what follows: a title, or a path alone.
func isHeading(line string) bool {
	if len(line) > 200 || unicode.IsSpace(rune(line[0])) {
		return false
	}
	return len(line) <= 80 && strings.HasSuffix(line, ":") || strings.Contains(line, "/") && !strings.ContainsAny(line, " \t")
}

// hasPlace reports whether a line names a place in a file: src/a.ts:3, a.ts(3,4).
func hasPlace(text string) bool {
	for i := 1; i+1 < len(text); i++ {
		if text[i] != ':' && text[i] != '(' || text[i+1] < '0' || text[i+1] > '9' {
			continue
		}
		start, dot := i, false
		for start > 0 && (isLetter(text[start-1]|0x20) || strings.IndexByte("./@-_0123456789", text[start-1]) >= 0) {
			start--
			dot = dot || text[start] == '.' && isLetter(text[start+1]|0x20)
		}
		if dot && start < i {
			return true
		}
	}
	return false
}

// shape is a line without its numbers and quoted names, which differ between lines that say the
// same of several things.
func shape(line string) string {
	line = strings.TrimSpace(line)
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		if n := differing(line[i:]); n > 0 {
			out = append(out, '#')
			i += n
			continue
		}
		out = append(out, line[i])
		i++
	}
	return string(out)
}

// leastHash is the length from which on hexadecimal digits are a hash.
const leastHash = 7

// differing is the length of the number, the hash or the quoted name with which a text begins, 0
// for none.
func differing(text string) int {
	if b := text[0]; b == '"' || b == '\'' || b == '`' {
		if end := strings.IndexByte(text[1:], b); end >= 0 {
			return end + 2
		}
		return 0
	}
	if hash := leading(text, "0123456789abcdefABCDEF"); hash >= leastHash {
		return hash
	}
	return leading(text, "0123456789")
}

// leading is how many bytes of a set a text begins with.
func leading(text, set string) int {
	n := 0
	for n < len(text) && strings.IndexByte(set, text[n]) >= 0 {
		n++
	}
	return n
}
