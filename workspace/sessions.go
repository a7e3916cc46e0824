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
	"github.com/coctostan/pictx/sqlite"
)

// FindSession returns the session with this id, or unique beginning of one, or
// this file.
func FindSession(ctx context.Context, st *sqlite.Store, id string) (sqlite.SessionRow, error) {
	rows, err := st.Names(ctx)
	if err != nil {
		return sqlite.SessionRow{}, err
	}
	return PickSession(rows, id)
}

// PickSession returns the one of rows that id means.
func PickSession(rows []sqlite.SessionRow, id string) (sqlite.SessionRow, error) {
	var found []sqlite.SessionRow
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
		return sqlite.SessionRow{}, exit.WithHint(exit.NotFound, "pictx sessions", fmt.Errorf("find session %s: the store has none with this id", id))
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return sqlite.SessionRow{}, exit.WithHint(exit.Usage, "give more of the id", errors.New("session "+id+" is ambiguous: "+strings.Join(ids, ", ")))
}

// Until returns a function that reports whether some time has passed.
func (a *Workspace) Until(d time.Duration) func() bool {
	end := a.Env.Now().Add(d)
	return func() bool { return a.Env.Now().After(end) }
}

// SessionProject is the directory of the session whose agent runs this process, "" when
// none does. Newer agents name the file of the session themselves, for the others the
// extension does.
func (a *Workspace) SessionProject() string {
	for _, name := range []string{"PI_SESSION_FILE", "PICTX_SESSION_FILE"} {
		if file := a.Env.Getenv(name); file != "" {
			if h, err := jsonl.ReadHeader(file); err == nil && h.CWD != "" {
				return h.CWD
			}
		}
	}
	return ""
}
