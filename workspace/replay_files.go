package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/project"
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
		return a.ownSessions(pl, all)
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
	st, err := os.Stat(path)
	if err != nil {
		file, err := a.SessionFile(ctx, arg)
		return []string{file}, err
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	in, err := project.FilesIn(path)
	if err == nil && len(in) == 0 {
		err = exit.WithHint(exit.NotFound, "pictx replay FILE", fmt.Errorf("open session: no .jsonl files in %s", arg))
	}
	return in, err
}

// ownSessions lists pi's sessions of this project, or of all.
func (a *Workspace) ownSessions(pl Place, all bool) ([]string, error) {
	files, err := project.SessionFiles(pl.AgentDir, a.Env.Getenv)
	if err != nil {
		return nil, err
	}
	var own []string
	keys := make(map[string]string) // of projects, by directory
	for _, f := range files {
		h, err := jsonl.ReadHeader(f)
		if err != nil {
			continue // not a session: pi does not list it either
		}
		key, known := keys[h.CWD]
		if !known && !all {
			p, err := project.Find(h.CWD, pl.AgentDir)
			if err != nil {
				return nil, err
			}
			key, keys[h.CWD] = p.Key, p.Key
		}
		if all || key == pl.Key {
			own = append(own, f)
		}
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

// LoadRecording reads the file of a session. The session has to be closed.
func LoadRecording(file string) (*jsonl.Session, *replay.Recording, error) {
	s, err := jsonl.Open(file)
	if err != nil {
		return nil, nil, err
	}
	if s.Header.Version == 0 && !hasMessage(s) {
		err = jsonl.ErrNoSession
	}
	var rec *replay.Recording
	if err == nil {
		rec, err = replay.Load(s.Tree, s.Line)
	}
	if err != nil {
		s.Close()
		return nil, nil, fmt.Errorf("read session %s: %w", file, err)
	}
	return s, rec, nil
}

// hasMessage reports whether a file without a header is a session all the same.
func hasMessage(s *jsonl.Session) bool {
	return slices.ContainsFunc(s.Nodes, func(n message.Node) bool { return n.Type == message.EntryMessage })
}
