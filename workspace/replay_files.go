package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/replay"
)

// errNoSessions is returned when there is nothing to replay.
func errNoSessions(all bool) error {
	if all {
		return exit.WithHint(exit.NotFound, "pictx replay FILE", errors.New("no sessions of pi were found"))
	}
	return exit.WithHint(exit.NotFound, "pictx replay FILE, or pictx replay --all", errors.New("no sessions of this project were found"))
}

// ReplayFiles lists the files to replay: those that are named, or pi's own.
func (a *Workspace) ReplayFiles(ctx context.Context, pl Place, all bool, args []string) ([]string, error) {
	if all && len(args) > 0 {
		return nil, exit.UsageError("pictx replay --all", "--all replays pi's own sessions and takes no files")
	}
	if len(args) == 0 {
		return ownSessions(a.Sources(), pl, all)
	}
	var files []string
	for _, arg := range args {
		found, err := a.namedSessions(ctx, arg)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return unique(files), nil
}

// namedSessions returns the files that an argument stands for.
func (a *Workspace) namedSessions(ctx context.Context, arg string) ([]string, error) {
	path := a.Path(arg)
	if a.Sources().Has(path) {
		return []string{path}, nil
	}
	st, err := os.Stat(path)
	if err != nil {
		file, err := a.SessionFile(ctx, arg)
		return []string{file}, err
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	return SessionsIn(a.Sources(), path, arg, "pictx replay FILE")
}

// ownSessions lists pi's sessions of this project, or of all.
func ownSessions(sources history.Source, pl Place, all bool) ([]string, error) {
	kept, err := KeptSessions(sources, pl, all)
	if err != nil {
		return nil, err
	}
	own := make([]string, len(kept))
	for i, k := range kept {
		own[i] = k.Place
	}
	if len(own) == 0 {
		return nil, errNoSessions(all)
	}
	return own, nil
}

// unique drops what is there a second time.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	var out []string
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

// LoadRecording reads a session. The session has to be closed.
func LoadRecording(sources history.Source, place string) (history.Session, *replay.Recording, error) {
	s, err := sources.Open(place)
	if err != nil {
		return nil, nil, err
	}
	if !history.IsSession(s) {
		err = history.ErrNoSession
	}
	var rec *replay.Recording
	if err == nil {
		rec, err = replay.Load(s.Entries(), s.Line)
	}
	if err != nil {
		s.Close()
		return nil, nil, fmt.Errorf("read session %s: %w", place, err)
	}
	return s, rec, nil
}
