package history

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// runeBoundary moves i back to the start of its character.
func runeBoundary(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// LineRange is an inclusive range of lines, counted from 1. A To of 0 means the end.
type LineRange struct{ From, To int }

// ParseLineRange parses "10-20", "10-", "-20" or "10".
func ParseLineRange(s string) (LineRange, error) {
	from, to, ranged := strings.Cut(s, "-")
	r := LineRange{From: 1}
	var err, end error
	if from != "" {
		r.From, err = strconv.Atoi(from)
	}
	if to != "" {
		r.To, end = strconv.Atoi(to)
	} else if !ranged {
		r.To = r.From
	}
	if err != nil || end != nil || r.From < 1 || r.To < r.From && to != "" || from == "" && to == "" {
		return r, fmt.Errorf("parse line range %q: want FROM-TO, counted from 1", s)
	}
	return r, nil
}

// String formats the range for ParseLineRange.
func (r LineRange) String() string {
	if r.To == 0 {
		return fmt.Sprintf("%d-", r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// linesAround is how many lines are shown before and after a line.
const linesAround = 10

// LinesAround returns a line with the lines that are shown around it.
func LinesAround(line int) LineRange {
	return LineRange{From: max(1, line-linesAround), To: max(1, line) + linesAround}
}

// Slice selects a part of a text. The zero Slice selects all of it.
type Slice struct {
	Lines    *LineRange
	Grep     *regexp.Regexp // only lines that match
	Head     int            // at most this many lines, 0 for all
	MaxBytes int            // at most this many bytes, cut between characters, 0 for all
}

// Of returns the selected part of text and how many bytes of text are left out.
func (s Slice) Of(text []byte) ([]byte, int) {
	out := text
	if s.Lines != nil || s.Grep != nil || s.Head > 0 {
		out = s.lines(text)
	}
	if s.MaxBytes > 0 && len(out) > s.MaxBytes {
		cut := s.MaxBytes
		// Look back at most UTFMax bytes: binary data may have no character boundary.
		for cut > s.MaxBytes-utf8.UTFMax && cut > 0 && !utf8.RuneStart(out[cut]) {
			cut--
		}
		out = out[:cut]
	}
	return out, len(text) - len(out)
}

// Beyond says that a text ends before the last selected line, "" when it does not.
func (s Slice) Beyond(text []byte) string {
	if n := lineCount(text); s.Lines != nil && s.Lines.From <= n && s.Lines.To > n {
		return fmt.Sprintf("the text ends with line %d", n)
	}
	return ""
}

// lineCount returns the number of lines, including a last one without a line break.
func lineCount(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// Missed explains, as an error, why part, which Of returned for text, is empty. It is nil
// when part is not empty or the text has nothing to select.
func (s Slice) Missed(text, part []byte) error {
	n := lineCount(text)
	switch {
	case len(part) > 0:
	case s.Lines != nil && s.Lines.From > n && n > 0:
		return fmt.Errorf("show lines from %d: the text ends with line %d", s.Lines.From, n)
	case s.Grep != nil:
		return errors.New("search the text: no line matches --grep")
	}
	return nil
}

// lines selects whole lines with their line ends.
func (s Slice) lines(text []byte) []byte {
	var out []byte
	n, taken := 0, 0
	for line := range bytes.Lines(text) {
		n++
		if s.Lines != nil && (n < s.Lines.From || s.Lines.To > 0 && n > s.Lines.To) {
			continue
		}
		if s.Grep != nil && !s.Grep.Match(bytes.TrimRight(line, "\r\n")) {
			continue
		}
		if s.Head > 0 && taken == s.Head {
			break
		}
		out = append(out, line...)
		taken++
	}
	return out
}
