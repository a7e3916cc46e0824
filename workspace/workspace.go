package workspace

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
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

// Actor is who runs this shell.
func (a *Workspace) Actor() object.Actor {
	if a.Env.Agent() {
		return object.ActorAgent
	}
	return object.ActorPerson
}

// Process is what this process was started with, the streams apart. Tests hand in
// their own.
type Process struct {
	Environ []string // KEY=VALUE
	Dir     string   // the working directory
	Now     func() time.Time
	Version string // of a release, "" otherwise
	Self    string // the program's own file
	// Sources are those of the sessions of other agents than pi.
	Sources []history.Source
}

// Getenv returns the value of an environment variable, "" when it is not set.
func (e *Process) Getenv(name string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if v := e.Environ[i]; len(v) > len(name) && v[len(name)] == '=' && v[:len(name)] == name {
			return v[len(name)+1:]
		}
	}
	return ""
}

// Agent reports whether this process was started by a coding agent's own shell:
// what a person must decide is then refused.
func (e *Process) Agent() bool { return e.Getenv("PI_CODING_AGENT") != "" }
