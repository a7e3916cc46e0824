package workspace

import (
	"cmp"
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
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// Sources returns the sources of the sessions of all agents, pi's last.
func (a *Workspace) Sources() history.Sources {
	return append(slices.Clone(a.Env.Sources), pi.Sessions{Getenv: a.Env.Getenv})
}

// KeptSession is a session that an agent keeps.
type KeptSession struct {
	Place   string // as Sources names it
	Head    message.Header
	NoHead  error   // why Head could not be read
	Project Project // in which it was recorded
}

// KeptSessions lists the sessions that agents keep of a project, or of all projects. A
// session without a readable header is skipped, as agents do. A project that pi trusts may
// name a directory of its own.
func KeptSessions(sources history.Source, pl Project, all bool) ([]KeptSession, error) {
	places, err := sources.Find("")
	if own := pi.ProjectSessions(pl.Root); own != "" && err == nil && Trusted(pl, nil, "") {
		var more []string
		more, err = sources.Find(own)
		places = slices.Compact(slices.Sorted(slices.Values(append(places, more...)))) // it may be the one searched
	}
	if err != nil {
		return nil, err
	}
	var kept []KeptSession
	projects := make(map[string]Project) // by directory
	for _, place := range places {
		head, err := sources.Head(place)
		if err != nil {
			continue
		}
		p, known := projects[head.CWD]
		if !known {
			if p, err = FindProject(head.CWD, pl.AgentDir); err != nil {
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

// NoSessions is the error of a command for which no sessions of the project, or of any, were
// found. It says where they are looked for, and everybody what to run, also those who have
// no file of a session to name. all is the command for the sessions of all projects.
func NoSessions(a *Workspace, pl Project, every bool, all string) error {
	dir, err := (pi.Sessions{Getenv: a.Env.Getenv}).Dir()
	if err != nil {
		return err
	}
	hint, whose := "to start one: pi", "pi"
	if !every {
		whose = "this project"
		if others, err := KeptSessions(a.Sources(), pl, true); err == nil && len(others) > 0 && !a.Env.Agent() {
			hint += ", or " + all
		}
	}
	return exit.WithHint(exit.NotFound, hint, fmt.Errorf("no sessions of %s were found in %s", whose, dir))
}

// SessionsIn lists the sessions in a directory that the user gave as named. No sessions are
// an error with the hint.
func SessionsIn(sources history.Source, dir, named, hint string) ([]string, error) {
	in, err := sources.Find(dir)
	if err == nil && len(in) == 0 {
		err = exit.WithHint(exit.NotFound, hint, fmt.Errorf("open session: no .jsonl files in %s", named))
	}
	return in, err
}

// KeepRecent returns how many tokens of the latest messages pi keeps in a compaction.
func (pl Project) KeepRecent() int {
	if Trusted(pl, nil, "") {
		return pi.KeepRecent(filepath.Join(pl.Root, ".pi"), pl.AgentDir)
	}
	return pi.KeepRecent(pl.AgentDir)
}

// FindSession finds a session in the store by its id, a unique prefix of that, or its file; ""
// is the latest.
func FindSession(ctx context.Context, st *store.Store, id string) (entries.Session, error) {
	if id == "" {
		rows, err := st.Entries.Latest(ctx, 1)
		if err == nil && len(rows) == 0 {
			err = exit.WithHint(exit.NotFound, "pictx import", errors.New("the store holds no sessions"))
		}
		if err != nil {
			return entries.Session{}, err
		}
		return rows[0], nil
	}
	rows, err := st.Entries.Names(ctx)
	if err != nil {
		return entries.Session{}, err
	}
	return PickSession(rows, id)
}

// PickSession finds a session among rows as FindSession does.
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
	return only(found, id, "find session "+id+": the store has none with this id", func(r entries.Session) string { return r.ID })
}

// only returns the one session that was found by the beginning of its id. none says that there is
// none.
func only[T any](found []T, id, none string, name func(T) string) (one T, err error) {
	var names []string
	for _, one = range found {
		names = append(names, name(one))
	}
	switch len(found) {
	case 0:
		err = exit.WithHint(exit.NotFound, "pictx sessions", errors.New(none))
	case 1:
	default:
		err = exit.WithHint(exit.Usage, "give more of the id", fmt.Errorf("session %s is ambiguous: %s", id, strings.Join(names, ", ")))
	}
	return one, err
}

// SessionPath returns the place of a session that the user named by its file or its id. ""
// is the one that this shell runs in, else the latest that is stored.
func (a *Workspace) SessionPath(ctx context.Context, name string) (string, error) {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err == nil {
		defer st.Close()
	}
	_, file, err := a.find(ctx, st, err, name)
	return file, err
}

// find finds a session: its file, or, if it is in the store, its id and the file it was read from,
// which may be gone. Without a store st is nil, and none says why. Sessions that are not stored are
// searched among those that agents keep.
func (a *Workspace) find(ctx context.Context, st *store.Store, none error, name string) (id, file string, err error) {
	name = cmp.Or(name, a.Env.Getenv("PI_SESSION_ID"))
	if name == "" && st == nil {
		return "", "", Elsewhere(a, none, "pictx import, or pictx sessions --all")
	}
	file = a.Path(name)
	if name == "" || !a.Sources().Has(file) && !IsFile(file) {
		if st != nil {
			row, err := FindSession(ctx, st, name)
			if code, _ := Verdict(err); err == nil || code != exit.NotFound || name == "" {
				return row.ID, row.File, err
			}
		}
		if file, err = keptFile(a.Sources(), name); err != nil {
			return "", "", err
		}
	}
	return "", file, MayReadSession(a, file)
}

// keptFile returns the place of a session that an agent keeps, by its id or a unique prefix.
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
	return only(found, id, "open session "+id+": there is no such file and no such session", func(place string) string { return place })
}

// Until returns a function that reports whether d has passed.
func (a *Workspace) Until(d time.Duration) func() bool {
	end := a.Env.Now().Add(d)
	return func() bool { return a.Env.Now().After(end) }
}

// Redactor returns what masks text by the settings, nil if they mask nothing.
func Redactor(c config.Redact) history.Redactor {
	if f := c.Finder(); f != nil {
		return f
	}
	return nil
}

// MaskedObjects returns the objects of a store, with r masking whatever is written. r may
// be nil.
func MaskedObjects(st *store.Store, r history.Redactor) object.Store {
	ports := st.Objects.Ports()
	if r != nil {
		ports.Mask = func(text string) string { return history.RedactText(text, r) }
	}
	return ports
}

// RedactorOf returns the Redactor of the settings in force. With known it always masks keys
// of known formats.
func RedactorOf(a *Workspace, known bool) (history.Redactor, error) {
	set, _, err := InForce(a)
	if err != nil {
		return nil, err
	}
	set.Config.Redact.KnownKeys = set.Config.Redact.KnownKeys || known
	return Redactor(set.Config.Redact), nil
}

// MaskedSources returns Sources that leave out what was purged or redacted from the
// project's store, and mask what the settings mask.
func MaskedSources(ctx context.Context, a *Workspace) history.Source {
	return history.MaskedSource(a.Sources(), func() (history.Masks, io.Closer, error) {
		redactor, err := RedactorOf(a, false)
		if err != nil {
			return nil, nil, err
		}
		st, _, err := a.Store(ctx, sqlite.Read)
		if errors.Is(err, sqlite.ErrNoStore) {
			return history.Masks(nil).And(redactor), nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		masks, err := st.Eraser.Masks(ctx)
		return masks.And(redactor), st, err
	})
}
