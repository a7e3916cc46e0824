package workspace

import (
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
)

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
