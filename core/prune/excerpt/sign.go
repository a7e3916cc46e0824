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
	s := signOfWords(text, lower)
	if s < wrong && (strings.ContainsAny(text, marks) || strings.HasPrefix(line, "> ") || strings.HasPrefix(text, "goroutine ") || hasAny(lower,
		"could not", "couldn't", "can't", "not found", "no such", "timed out", "exit code", "exit status", "exited with", "data race", "not ok", "unable to")) {
		return wrong
	}
	if s == silent && (isHeading(line) || isTotal(lower) || hasPlace(text) || strings.Contains(lower, "files changed") || strings.Contains(lower, "caused by")) {
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

// signOfWords returns the strongest sign of the words of a line.
func signOfWords(text, lower string) (s sign) {
	if len(lower) != len(text) { // a letter whose lower case is longer
		text = lower
	}
	for i := 0; i < len(lower); {
		if !isLetter(lower[i]) {
			i++
			continue
		}
		end := i
		for end < len(lower) && isLetter(lower[end]) {
			end++
		}
		s = max(s, signOfWord(text[i:end], lower[i:end]))
		i = end
	}
	return s
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || b >= utf8.RuneSelf }

// signOfWord returns the sign of a word, as it is written and in lower case.
func signOfWord(word, lower string) sign {
	switch lower {
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

// isTotal reports whether a line counts something: 16 vulnerabilities (4 critical), 78 passing.
func isTotal(lower string) bool {
	number := strings.TrimLeft(lower, "0123456789.,")
	if len(number) == len(lower) || !strings.HasPrefix(number, " ") {
		return false
	}
	word := strings.TrimLeftFunc(number[1:], func(r rune) bool { return 'a' <= r && r <= 'z' })
	return len(word) < len(number)-1 && (word == "" || strings.HasPrefix(word, ",") || strings.HasPrefix(word, " ("))
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
