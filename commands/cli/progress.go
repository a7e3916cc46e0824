package cli

import (
	"io"

	"github.com/coctostan/pictx/console"
	"github.com/coctostan/pictx/core/text"
)

// Progress shows on a terminal how far long work on total bytes is.
func (a *Run) Progress(verb string, total int64) *console.Progress {
	return a.ProgressOf(verb, total, text.Bytes)
}

// ProgressOf is Progress of something else.
func (a *Run) ProgressOf(verb string, total int64, format func(int64) string) *console.Progress {
	var w io.Writer
	if a.Env.ErrTerminal && !a.Quiet {
		w = a.Env.Err
	}
	return console.NewProgress(w, a.Env.Now, verb, total, format)
}

// startCounter starts a counter of things.
func (a *Run) startCounter(verb string, total int64) (to func(int64), end func()) {
	p := a.ProgressOf(verb, total, func(n int64) string { return text.Thousands(n) })
	return p.To, p.End
}
