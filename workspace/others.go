package workspace

import (
	"errors"
	"slices"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// A person may read every project. In an agent's shell a command reads the agent's own
// project alone, unless the user's settings say otherwise. An agent that wants to can get
// around that, as it can read the files themselves: this keeps one that merely looks around
// from taking what belongs to another project into its context.

// ErrOthers is returned when a command in an agent's shell asks for what belongs to other
// projects.
var ErrOthers = errors.New("read other projects: that is for the user, unless the user's settings have agent.scope_all")

// MayReadOthers returns ErrOthers for a command in an agent's shell, whose hint is the
// command for this project alone, unless the user's settings let an agent read other projects.
func MayReadOthers(a *Workspace, hint string) error {
	set, _, err := InForce(a)
	if err != nil {
		return err
	}
	if a.Env.Agent() && !ScopeAll(set) {
		return exit.WithHint(exit.Refused, hint, ErrOthers)
	}
	return nil
}

// ScopeAll reports whether the user's settings let an agent read other projects. Only the
// user's own file counts, because an agent can set variables and flags itself.
func ScopeAll(set *Settings) bool {
	const key = "agent.scope_all"
	s, err := set.Get(key)
	return err == nil && set.Config.Agent.ScopeAll && s.Origin.Kind == config.User
}

// MayRead returns ErrOthers in the shell of an agent that works in another project than p,
// as MayReadOthers does. When it is not known where the agent works, it may read p.
func MayRead(a *Workspace, p Project) error {
	own, err := agentProjects(a)
	if err != nil || len(own) == 0 || slices.ContainsFunc(own, func(o Project) bool { return o.Key == p.Key }) {
		return err
	}
	return MayReadOthers(a, "cd "+text.ShellWord(own[0].Root))
}

// MayReadSession is MayRead for the project in which a session was recorded. Sessions that are
// files of the agent's own project belong to that.
func MayReadSession(a *Workspace, place string) error {
	own, err := agentProjects(a)
	if err != nil || len(own) == 0 || slices.ContainsFunc(own, func(o Project) bool { return Inside(place, o.Root) }) {
		return err
	}
	head, err := a.Sources().Head(place)
	if err != nil || head.CWD == "" {
		return nil //nolint:nilerr // whoever reads it says what is wrong with it
	}
	p, err := FindProject(head.CWD, own[0].AgentDir)
	if err != nil {
		return err
	}
	return MayRead(a, p)
}

// agentProjects returns the projects of the agent in whose shell this process runs: the one
// it works in, and that of its session, which may have been begun elsewhere. There are none
// for a person, and when neither is known.
func agentProjects(a *Workspace) ([]Project, error) {
	if !a.Env.Agent() {
		return nil, nil
	}
	agentDir, err := pi.AgentDir(a.Env.Getenv)
	var own []Project
	for _, dir := range []string{a.Env.Getenv("PICTX_SESSION_CWD"), SessionProject(a.Env.Getenv)} {
		if dir != "" && err == nil {
			var p Project
			p, err = FindProject(dir, agentDir)
			own = append(own, p)
		}
	}
	return own, err
}

// SessionProject returns the directory of the session whose agent runs this process, else
// "". Newer versions of pi name the session's file in the environment; for older ones the
// extension does.
func SessionProject(getenv func(string) string) string {
	for _, name := range []string{"PI_SESSION_FILE", "PICTX_SESSION_FILE"} {
		if file := getenv(name); file != "" {
			if h, err := pi.ReadHeader(file); err == nil && h.CWD != "" {
				return h.CWD
			}
		}
	}
	return ""
}

// Elsewhere returns the error of a project without a store. For a person its hint says how to
// search other projects.
func Elsewhere(a *Workspace, err error, hint string) error {
	if !errors.Is(err, sqlite.ErrNoStore) || a.Env.Agent() {
		return err
	}
	return exit.WithHint(exit.NoProject, hint, err)
}
