package tool

import (
	"strconv"
	"strings"
)

// CountLines counts the lines of a file in what a read returned, without the
// remark that pi adds of what it left out.
func CountLines(text string) int {
	text = strings.TrimRight(text, "\n")
	if i := strings.LastIndex(text, "\n\n["); i >= 0 && strings.HasSuffix(text, "]") && !strings.Contains(text[i+3:], "\n") {
		text = text[:i]
	}
	return strings.Count(text, "\n") + 1
}

// Outcome finds the exit status of a command and the last line it printed. pi
// names the status only of commands that failed, whose results are kept; others
// name it always.
func Outcome(text string) (exit, last string) {
	if strings.TrimSpace(text) == "" {
		return "", ""
	}
	last, rest := lastLine(text)
	for _, said := range [...]string{"Command exited with code ", "Exit code: ", "Exit code "} {
		if code, ok := strings.CutPrefix(last, said); ok && isNumber(code) {
			last, _ = lastLine(rest)
			return " exit " + code, last
		}
	}
	return " exit 0", last
}

// lastLine returns the last line of text that is not blank, and what is before it.
func lastLine(text string) (last, rest string) {
	text = strings.TrimRight(text, " \t\r\n")
	i := strings.LastIndexAny(text, "\r\n") + 1
	return strings.TrimSpace(text[i:]), text[:i]
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}
