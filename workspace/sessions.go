package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/door"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/project"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// Sources are the sessions of all agents, those of pi last.
func (a *Workspace) Sources() history.Sources {
	return append(slices.Clone(a.Env.Sources), pi.Sessions{Getenv: a.Env.Getenv})
}

// KeptSession is a session that an agent keeps.
type KeptSession struct {
	Place   string // for Sources
	Head    message.Header
	NoHead  error           // why it has none
	Project project.Project // that it was recorded in
}

// KeptSessions lists the sessions that agents keep of a project, or of all projects. What
// has no head is not among them: an agent does not list it either.
func KeptSessions(sources history.Source, pl Place, all bool) ([]KeptSession, error) {
	places, err := sources.Find("")
	if err != nil {
		return nil, err
	}
	var kept []KeptSession
	projects := make(map[string]project.Project) // by directory
	for _, place := range places {
		head, err := sources.Head(place)
		if err != nil {
			continue
		}
		p, known := projects[head.CWD]
		if !known {
			if p, err = project.Find(head.CWD, pl.AgentDir); err != nil {
				return nil, err
			}
			projects[head.CWD] = p
		}
		if all || p.Key == pl.Key {
			kept = append(kept, KeptSession{Place: place, Head: head, Project: p})
		}
	}
	return kept, nil
}

// SessionsIn lists the sessions in a directory, which a person named. There being none
// is an error with a hint.
func SessionsIn(sources history.Source, dir, named, hint string) ([]string, error) {
	in, err := sources.Find(dir)
	if err == nil && len(in) == 0 {
		err = exit.WithHint(exit.NotFound, hint, fmt.Errorf("open session: no .jsonl files in %s", named))
	}
	return in, err
}

// KeepRecent is how many tokens of the latest messages the agent keeps at a compaction.
func (pl Place) KeepRecent() int { return pi.KeepRecent(pl.AgentDir) }

// FindSession returns the session with this id, or unique beginning of one, or
// this file.
func FindSession(ctx context.Context, st *store.Store, id string) (entries.Session, error) {
	rows, err := st.Entries.Names(ctx)
	if err != nil {
		return entries.Session{}, err
	}
	return PickSession(rows, id)
}

// PickSession returns the one of rows that id means.
func PickSession(rows []entries.Session, id string) (entries.Session, error) {
	var found []entries.Session
	for _, r := range rows {
		switch {
		case r.ID == id, r.File != "" && (r.File == id || filepath.Base(r.File) == id):
			return r, nil
		case strings.HasPrefix(r.ID, id):
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return entries.Session{}, exit.WithHint(exit.NotFound, "pictx sessions", fmt.Errorf("find session %s: the store has none with this id", id))
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return entries.Session{}, exit.WithHint(exit.Usage, "give more of the id", errors.New("session "+id+" is ambiguous: "+strings.Join(ids, ", ")))
}

// SessionFile finds the place of a session by its id, or the unique beginning of one: in
// the store, else among those that agents keep.
func (a *Workspace) SessionFile(ctx context.Context, id string) (string, error) {
	if st, _, err := a.Store(ctx, sqlite.Read); err == nil {
		defer st.Close()
		row, err := FindSession(ctx, st, id)
		if code, _ := Verdict(err); err != nil && code != exit.NotFound {
			return "", err
		}
		if err == nil && row.File != "" {
			return row.File, nil
		}
	}
	return keptFile(a.Sources(), id)
}

// keptFile is SessionFile among the sessions that agents keep.
func keptFile(sources history.Source, id string) (string, error) {
	places, err := sources.Find("")
	if err != nil {
		return "", err
	}
	var found []string
	for _, place := range places {
		if head, err := sources.Head(place); err == nil && strings.HasPrefix(head.ID, id) {
			found = append(found, place)
		}
	}
	switch len(found) {
	case 0:
		return "", exit.WithHint(exit.NotFound, "pictx sessions", fmt.Errorf("open session %s: there is no such file and no such session", id))
	case 1:
		return found[0], nil
	}
	return "", exit.WithHint(exit.Usage, "pictx prune "+found[0], fmt.Errorf("session %s is ambiguous: %s", id, strings.Join(found, ", ")))
}

// Until returns a function that reports whether some time has passed.
func (a *Workspace) Until(d time.Duration) func() bool {
	end := a.Env.Now().Add(d)
	return func() bool { return a.Env.Now().After(end) }
}

// SessionProject is the directory of the session whose agent runs this process, "" when
// none does. Newer agents name the file of the session themselves, for the others the
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

// Redactor masks what the settings want masked, nil for nothing.
func Redactor(c config.Redact) history.Redactor {
	if f := c.Finder(); f != nil {
		return f
	}
	return nil
}

// MaskedObjects are the objects of a store, into which nothing comes that r masks; it may be
// nil.
func MaskedObjects(st *store.Store, r history.Redactor) object.Store {
	if r == nil {
		return st.Objects.Ports()
	}
	return object.Masked(st.Objects.Ports(), func(text string) string { return history.RedactText(text, r) })
}

// RedactorOf masks what the user wants masked, nil for nothing; with known set keys of
// known formats in any case.
func RedactorOf(a *Workspace, known bool) (history.Redactor, error) {
	pl, err := a.Place()
	if err != nil {
		return nil, err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return nil, err
	}
	set.Config.Redact.KnownKeys = set.Config.Redact.KnownKeys || known
	return Redactor(set.Config.Redact), nil
}

// MaskedSources are Sources that show sessions without what the user purged or redacted
// from the project's store, and without what the settings want masked.
func MaskedSources(ctx context.Context, a *Workspace) history.Source {
	return history.MaskedSource(a.Sources(), func() (history.Masks, io.Closer, error) {
		redactor, err := RedactorOf(a, false)
		if err != nil {
			return nil, nil, err
		}
		st, _, err := a.Store(ctx, sqlite.Read)
		if errors.Is(err, sqlite.ErrNoStore) {
			return door.Masks(nil, redactor), nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		masks, err := st.Eraser.Masks(ctx)
		return door.Masks(masks, redactor), st, err
	})
}
