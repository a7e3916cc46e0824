package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/coctostan/pictx/core/text"
)

// Out is where a command prints its data.
type Out struct {
	*bufio.Writer
	JSON  bool
	Color bool
	Width int // of the terminal, 0 when the output is not a terminal
}

// Emit prints v as one JSON document, or text.
func (o *Out) Emit(v any, text func(w *Out)) error {
	if !o.JSON {
		text(o)
		return nil
	}
	return o.Line(v)
}

// Line prints v as one line of JSON. Unlike the standard encoder's default it
// leaves <, > and & alone, because this is not HTML.
func (o *Out) Line(v any) error {
	enc := json.NewEncoder(o)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Printf prints a formatted text.
func (o *Out) Printf(format string, args ...any) { fmt.Fprintf(o, format, args...) }

// The styles of text on a terminal.
const (
	StyleBold  = "1"
	StyleDim   = "2"
	StyleRed   = "31"
	StyleGreen = "32"
	StyleCyan  = "36"
	StyleMatch = "1;33"
)

// Style wraps s in an SGR sequence when colour is on.
func (o *Out) Style(code, s string) string {
	if !o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// WantColor decides about colour: the flag, then NO_COLOR and CLICOLOR_FORCE,
// then whether it is a terminal that has any.
func WantColor(env *Env, flag string) bool {
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

// Table prints rows in aligned columns, the ones named in right at their right
// end. Cells hold no colour.
func Table(w io.Writer, rows [][]string, right ...int) {
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

// FittedTable is table, cut on a terminal where its line ends: for text that can
// be read in full elsewhere.
func (o *Out) FittedTable(rows [][]string, right ...int) {
	var b strings.Builder
	Table(&b, rows, right...)
	for _, line := range strings.SplitAfter(b.String(), "\n") {
		if runes := []rune(line); o.Width > 0 && len(runes) > o.Width+1 { // the line break takes no place
			line = string(runes[:o.Width-1]) + "…\n"
		}
		o.Printf("%s", line)
	}
}

// PrintDiff prints the lines that two texts do not share.
func PrintDiff(w *Out, before, after string) {
	d := diffmatchpatch.New()
	x, y, lines := d.DiffLinesToRunes(before, after)
	for _, part := range d.DiffCharsToLines(d.DiffMainRunes(x, y, false), lines) {
		mark, code := " ", ""
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			mark, code = "-", StyleRed
		case diffmatchpatch.DiffInsert:
			mark, code = "+", StyleGreen
		}
		for _, line := range strings.SplitAfter(part.Text, "\n") {
			if line != "" {
				w.Printf("%s\n", w.Style(code, mark+text.Printable(strings.TrimRight(line, "\r\n"))))
			}
		}
	}
}

// JSONOrRows prints a list as JSON, an element a line, or returns it as rows of a
// table: nil when it was printed.
func JSONOrRows[T any](w *Out, all []T, line func(*T) any, cells func(*T) []string) ([][]string, error) {
	var rows [][]string
	for i := range all {
		if !w.JSON {
			rows = append(rows, cells(&all[i]))
		} else if err := w.Line(line(&all[i])); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
