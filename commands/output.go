package commands

// The rules of what is printed:
//
//   - stdout is data and nothing else; everything said about it is on stderr;
//   - a command decides once whether it prints text or JSON, and hands both to
//     emit; nothing asks "is it JSON" in between;
//   - text that came from a session, a file or a model may hold anything: on its
//     way to a terminal its control characters are neutralised. Data that was
//     asked for byte for byte (expand, hook, prune --apply) is not touched;
//   - colour only on a terminal, or when asked for.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// out is where a command prints its data.
type out struct {
	*bufio.Writer
	json  bool
	color bool
	width int // of the terminal, 0 when it is none
}

// emit prints v as one JSON document, or text.
func (o *out) emit(v any, text func(w *out)) error {
	if !o.json {
		text(o)
		return nil
	}
	return o.line(v)
}

// line prints v as one line of JSON. Unlike the standard encoder's default it
// leaves <, > and & alone: nobody puts this into HTML.
func (o *out) line(v any) error {
	enc := json.NewEncoder(o)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printf prints a formatted text.
func (o *out) printf(format string, args ...any) { fmt.Fprintf(o, format, args...) }

// The styles of text on a terminal.
const (
	styleBold  = "1"
	styleDim   = "2"
	styleRed   = "31"
	styleGreen = "32"
	styleCyan  = "36"
	styleMatch = "1;33"
)

// style wraps s in an SGR sequence when colour is on.
func (o *out) style(code, s string) string {
	if !o.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// wantColor decides about colour: the flag, then NO_COLOR and CLICOLOR_FORCE,
// then whether it is a terminal that has any.
func wantColor(env *Env, flag string) bool {
	switch {
	case flag == "always":
		return true
	case flag == "never", env.Getenv("NO_COLOR") != "":
		return false
	case env.Getenv("CLICOLOR_FORCE") != "" && env.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return env.OutTerminal && env.Getenv("TERM") != "dumb" && env.Getenv("CLICOLOR") != "0"
}

// printable makes a text safe for a terminal: control characters, and the marks
// that reorder or hide text, become visible or blank. Line breaks stay.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == 0x7f || r < 0x20 || r >= 0x80 && r < 0xa0:
			return '\ufffd'
		case unicode.Is(unicode.Bidi_Control, r), r >= 0x200b && r <= 0x200d, r == 0xfeff, r == 0x2060:
			return -1
		}
		return r
	}, s)
}

// oneLine folds white space, so that a text takes one line.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// stamp formats Unix milliseconds for a person, in local time.
func stamp(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Local().Format("2006-01-02 15:04")
}

// isoStamp formats Unix milliseconds for a program, "" when unknown.
func isoStamp(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// bytesText formats a number of bytes for a person.
func bytesText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	case n < 1000*1000*1000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// count formats a number with its noun.
func count[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "y") {
		return thousands(int64(n)) + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return thousands(int64(n)) + " " + noun + "s"
}

// thousands formats a number with commas.
func thousands(n int64) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// table prints rows in aligned columns, the ones named in right at their right
// end. Cells hold no colour.
func table(w io.Writer, rows [][]string, right ...int) {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if slices.Contains(right, i) {
				b.WriteString(pad + c + "  ")
			} else {
				b.WriteString(c + pad + "  ")
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// fittedTable is table, cut on a terminal where its line ends: for text that can
// be read in full elsewhere.
func (o *out) fittedTable(rows [][]string, right ...int) {
	var b strings.Builder
	table(&b, rows, right...)
	for _, line := range strings.SplitAfter(b.String(), "\n") {
		if runes := []rune(line); o.width > 0 && len(runes) > o.width+1 { // the line break takes no place
			line = string(runes[:o.width-1]) + "…\n"
		}
		o.printf("%s", line)
	}
}
