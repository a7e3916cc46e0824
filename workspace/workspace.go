package workspace

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
)

// Workspace is the process, and the flags that choose the project and its settings.
type Workspace struct {
	Env        *Process
	ProjectDir string   // from --project; "" for the project of the working directory
	Settings   []string // from -c, as key=value
	// Warning warns the user. hint is a command that helps, or "".
	Warning func(text, hint string)
	// Counter shows the progress of long work. to sets it, end removes it.
	Counter func(verb string, total int64) (to func(done int64), end func())
	// Run runs a command line in this process, as hooks do for the user of an agent.
	Run func(ctx context.Context, env *Process, args []string, out, errs io.Writer) int
	// AtEnd is called when the program ends, even after an error.
	AtEnd []func()
}

// End calls the functions of AtEnd, the last one first.
func (a *Workspace) End() {
	for _, fn := range slices.Backward(a.AtEnd) {
		fn()
	}
}

// Actor returns who runs this process: the user or an agent.
func (a *Workspace) Actor() object.Actor {
	if a.Env.Agent() {
		return object.ActorAgent
	}
	return object.ActorPerson
}

// Process is the environment of this process, without its streams. Tests pass their own.
type Process struct {
	Environ []string // KEY=VALUE
	Dir     string   // the working directory
	Now     func() time.Time
	Version string           // of a release, otherwise ""
	Self    string           // the program's own file
	Sources []history.Source // the sessions of agents other than pi
	// Asker asks the user of an agent, in whose dialogs questions about decisions appear; nil at
	// a shell.
	Asker decision.Asker
}

// Getenv returns the value of an environment variable, "" when it is not set. Windows calls PATH
// Path, and does not tell them apart.
func (e *Process) Getenv(name string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(e.Environ[i], "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// Agent reports whether a coding agent started this process. Commands that need a person's
// decision are then refused.
func (e *Process) Agent() bool { return e.Getenv("PI_CODING_AGENT") != "" }
