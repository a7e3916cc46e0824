package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

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
			if h, err := jsonl.ReadHeader(file); err == nil && h.CWD != "" {
				return h.CWD
			}
		}
	}
	return ""
}
