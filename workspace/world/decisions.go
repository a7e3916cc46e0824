package world

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/hooks/decisions"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/workspace"
)

// Decisions returns the system that shows decisions to an agent.
func (w *World) Decisions() decisions.System {
	return decisions.System{
		Open:    func(cwd string) (decisions.Log, error) { return w.decisions(cwd, nil) },
		Trusted: w.trusts, Run: w.runDecision, Used: func() bool {
			pl, err := w.Here()
			return err == nil && workspace.IsFile(jsonl.DecisionsPath(pl.Root))
		},
		Off: func(r *hooks.Request) (string, error) {
			log, err := w.decisions(r.CWD, r.Trust())
			if err != nil {
				return "", err
			}
			return log.Off()
		},
	}
}

// runDecision runs pictx decision for the user of an agent, who is asked by asker.
func (w *World) runDecision(ctx context.Context, r *hooks.Request, args []string, asker decision.Asker) decisions.Ran {
	var stdout, stderr bytes.Buffer
	env := *w.Env
	env.Asker = asker
	line := []string{"decision"}
	for _, s := range w.Workspace.Settings {
		line = append(line, "-c", s)
	}
	line = append(line, args...)
	if r.CWD != "" {
		env.Dir = r.CWD
	}
	// The user runs it, not the agent.
	env.Environ = slices.DeleteFunc(slices.Clone(w.Env.Environ), func(v string) bool { return strings.HasPrefix(v, "PI_CODING_AGENT=") })
	code := w.Run(ctx, &env, line, &stdout, &stderr)
	return decisions.Ran{Out: stdout.String(), Err: strings.ReplaceAll(stderr.String(), "pictx: ", ""), Code: code}
}

// decisions returns the log of a directory's project, and keeps it open for later requests.
func (w *World) decisions(cwd string, trust *bool) (*workspace.DecisionLog, error) {
	pl, set, err := w.inForce(cwd, trust)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.decisionLogs[pl.Root]
	if log == nil {
		log = workspace.OpenDecisions(pl)
		w.decisionLogs[pl.Root] = log
	}
	return &workspace.DecisionLog{Workspace: w.Workspace, Project: pl, Settings: set, Log: log}, nil
}
