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
