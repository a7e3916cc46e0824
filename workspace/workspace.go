package workspace

import (
	"context"
	"io"
	"slices"
)

// Workspace is what a command and a hook both stand in: the process and the flags
// that say which project is meant, and with which settings.
type Workspace struct {
	Env        *Process
	ProjectDir string   // of --project, "" for the one around the working directory
	Settings   []string // of -c, as key=value
	// Warning tells the person of something that is not as it should be, with a
	// command that helps, "" for none.
	Warning func(text, hint string)
	// Counter shows how far long work is, out of total; to counts up, end takes it away.
	Counter func(verb string, total int64) (to func(done int64), end func())
	// Run runs a command line in this process, as hooks do for a person at an agent.
	Run func(ctx context.Context, env *Process, args []string, out, errs io.Writer) int
	// AtEnd is called when the program ends, whatever came of it.
	AtEnd []func()
}

// End does what is left to do when the program ends, the latest first.
func (a *Workspace) End() {
	for _, fn := range slices.Backward(a.AtEnd) {
		fn()
	}
}
