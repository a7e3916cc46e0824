package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// Out is the output of a command.
type Out struct {
	*bufio.Writer
	JSON  bool
	Color bool
	Width int // of the terminal in characters, 0 if the output is not one

	terminal bool
	view     View   // filters and formats JSON; nil for text
	pager    *Pager // pages long text; may be nil
}

// Pager returns the user's pager, nil if the output is not a terminal that a person reads.
func (a *Run) Pager() *Pager {
	if !a.Env.OutTerminal || !a.Env.InTerminal || a.Env.Agent() || a.Env.Getenv("TERM") == "dumb" {
		return nil
	}
	return NewPager(a.Env.Out, a.Env.Environ, a.Env.Getenv)
}

// Page sends text through a pager if it is longer than the terminal. p may be nil.
func (o *Out) Page(p *Pager) {
	if p != nil && !o.JSON {
		o.pager, o.Writer = p, bufio.NewWriterSize(p, 1<<16)
	}
}

// NewOut returns the output of the running command. It fails if the expression of --jq or
// the template of --template cannot be parsed.
func (a *Run) NewOut(ctx context.Context) (*Out, error) {
	o := &Out{Writer: bufio.NewWriterSize(a.Env.Out, 1<<16), Color: WantColor(a.Env, a.Color), Width: a.Env.Width, terminal: a.Env.OutTerminal}
	var view View
	var err error
	switch {
	case a.JQ != "" && a.Template != "":
		err = errors.New("--jq and --template exclude each other")
	case a.JQ != "":
		view, err = NewQuery(ctx, a.JQ, a.Env.Environ, a.Env.OutTerminal)
	case a.Template != "":
		view, err = NewTemplate(a.Template, Terminal{Is: a.Env.OutTerminal, Color: o.Color, Width: o.Width, Now: a.Env.Now})
	}
	if err != nil {
		return o, exit.UsageError("pictx help json", "%w", err)
	}
	if a.JSON && view == nil {
		view = whole{}
	}
	o.view, o.JSON, a.JSON = view, view != nil, view != nil
	return o, nil
}

// End prints what was held back, and flushes the output.
func (o *Out) End() error {
	var err error
	if o.view != nil {
		err = o.view.End(o)
	}
	err = errors.Join(err, o.Flush())
	if o.pager != nil {
		o.pager.Close()
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// Emit prints v as one JSON document or, for text output, calls text.
func (o *Out) Emit(v any, text func(w *Out)) error {
	if !o.JSON {
		text(o)
		return nil
	}
	return o.Line(v)
}

// Foreign prints text that somebody else wrote: byte for byte to a file or a pipe, and to a
// terminal with control characters made visible.
func (o *Out) Foreign(data []byte) error {
	if o.terminal {
		data = []byte(text.Printable(strings.ReplaceAll(string(data), "\r\n", "\n")))
	}
	_, err := o.Write(data)
	return err
}

// Line prints v as a JSON document. It does not escape <, > and &, since the output is not
// HTML.
func (o *Out) Line(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return o.Document(b.Bytes())
}

// Document prints one JSON document.
func (o *Out) Document(json []byte) error {
	return o.view.Show(o, Versioned(bytes.TrimSpace(json)))
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

// WantColor reports whether to use colour: by the flag, else by NO_COLOR and
// CLICOLOR_FORCE, else by whether the output is a terminal with colours.
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

// Table prints rows in aligned columns. right lists the right-aligned ones.
func Table(w io.Writer, rows [][]string, right ...int) {
	io.WriteString(w, aligned(rows, 0, right...))
}

// FittedTable is Table with lines cut at the width of the terminal, for text that can be
// read in full elsewhere.
func (o *Out) FittedTable(rows [][]string, right ...int) {
	o.WriteString(aligned(rows, o.Width, right...))
}

// JSONOrRows prints a list as JSON, one element a line, or returns it as the rows of a
// table. It returns no rows if it has printed JSON.
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

// Progress shows the progress of work on total bytes on the terminal.
func (a *Run) Progress(verb string, total int64) *Progress {
	return a.ProgressOf(verb, total, text.Bytes)
}

// ProgressOf is Progress in another unit.
func (a *Run) ProgressOf(verb string, total int64, format func(int64) string) *Progress {
	p := &Progress{now: a.Env.Now, verb: verb, Total: total, began: a.Env.Now(), text: format}
	if a.Env.ErrTerminal && !a.Quiet {
		p.w = a.Env.Err
	}
	return p
}
