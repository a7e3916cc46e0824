package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// ReplayFiles lists the sessions to replay: those that the arguments name, else those that
// agents keep.
func (a *Workspace) ReplayFiles(ctx context.Context, pl Project, all bool, args []string) ([]string, error) {
	if all && len(args) > 0 {
		return nil, exit.UsageError("pictx replay --all", "--all replays pi's own sessions and takes no files")
	}
	if len(args) == 0 {
		return ownSessions(ctx, a, pl, all)
	}
	var files []string
	for _, arg := range args {
		found, err := a.namedSessions(ctx, arg)
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			if err := MayReadSession(a, file); err != nil {
				return nil, err
			}
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, nil
}

// namedSessions returns the sessions that an argument names: a file, a directory, or the id
// of a session.
func (a *Workspace) namedSessions(ctx context.Context, arg string) ([]string, error) {
	path := a.Path(arg)
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return SessionsIn(a.Sources(), path, arg, "pictx replay FILE")
	}
	file, err := a.SessionPath(ctx, arg)
	return []string{file}, err
}

// ownSessions lists the sessions that agents keep of this project, or of all, and imported
// ones whose files still exist.
func ownSessions(ctx context.Context, a *Workspace, pl Project, all bool) ([]string, error) {
	if all {
		if err := MayReadOthers(a, "pictx replay"); err != nil {
			return nil, err
		}
	}
	kept, err := KeptSessions(a.Sources(), pl, all)
	if err != nil {
		return nil, err
	}
	var own []string
	listed := make(map[string]bool, len(kept)) // by the session's id
	for _, k := range kept {
		own = append(own, k.Place)
		listed[k.Head.ID] = true
	}
	files, gone := imported(ctx, a, all, listed)
	own = append(own, files...)
	if len(own) == 0 && gone != "" {
		return nil, exit.WithHint(exit.NotFound, "pictx export "+text.ShellWord(history.ShortSession(gone))+" --format jsonl -o session.jsonl && pictx replay session.jsonl",
			errors.New("replay reads session files, and those of the stored sessions are gone"))
	}
	if len(own) == 0 {
		return nil, NoSessions(a, pl, all, "pictx replay --all")
	}
	return own, nil
}

// imported lists the session files that the project's store, or all stores, were filled
// from, except the listed sessions. gone is a session whose file is missing. Stores that
// cannot be read are skipped, because pricing does not need them.
func imported(ctx context.Context, a *Workspace, all bool, listed map[string]bool) (files []string, gone string) {
	scope := "project"
	if all {
		scope = "all"
	}
	stores, _, err := a.GrepStores(ctx, scope)
	if err != nil {
		return nil, ""
	}
	defer stores.Close()
	for _, st := range stores {
		rows, err := st.Store.Entries.Names(ctx)
		if err != nil {
			continue
		}
		for _, r := range rows {
			if listed[r.ID] {
				continue
			}
			if _, err := a.Sources().Head(r.File); r.File == "" || err != nil {
				gone = r.ID
				continue
			}
			files, listed[r.ID] = append(files, r.File), true
		}
	}
	return files, gone
}

// LoadRecording reads a session for a replay. The caller must close the session.
func LoadRecording(sources history.Source, place string) (history.Session, *replay.Recording, error) {
	s, err := sources.Open(place)
	if err != nil {
		return nil, nil, err
	}
	rec, err := replay.Load(s.Entries(), s.Line)
	if !history.IsSession(s) {
		err = history.ErrNoSession
	}
	if err != nil {
		s.Close()
		return nil, nil, fmt.Errorf("read session %s: %w", place, err)
	}
	rec.Others = true // of most sessions; the bill of a project's first one is a little too high
	return s, rec, nil
}
