package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/door"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// A session that ends while another process holds the store for longer than the agent
// waits, as one that rewrites a large database does, leaves a note beside the store. The
// next process that opens the store stores what the note names before it does anything else,
// and so does the one that held it, when it ends.

const (
	// lateTime is how long whoever opens a store tries to store what sessions left.
	lateTime = 3 * time.Second
	// lateEndTime is the same for a command at its end, which may have been interrupted.
	lateEndTime = 300 * time.Millisecond
	// maxLate bounds a note, which is the place of a session.
	maxLate = 64 << 10
	// taken ends the name of a note whose session is being stored.
	taken = ".taken"
)

// lateNote is the beginning of the path of every note about a store.
func lateNote(storePath string) string {
	return filepath.Join(filepath.Dir(storePath), "late", strings.TrimSuffix(filepath.Base(storePath), ".db")+"-")
}

// LeaveLate notes that the store at a path lacks entries of the session at place.
func LeaveLate(storePath, place string) error {
	sum := sha256.Sum256([]byte(place))
	if err := repo.Replace(fmt.Sprintf("%s%x", lateNote(storePath), sum[:8]), []byte(place), 0o600); err != nil {
		return fmt.Errorf("note that a session is stored late: %w", err)
	}
	return nil
}

// lateNotes are the notes about a store.
func lateNotes(storePath string) []string {
	dir, begins := filepath.Split(lateNote(storePath))
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var notes []string
	for _, e := range all {
		if strings.HasPrefix(e.Name(), begins) {
			notes = append(notes, filepath.Join(dir, e.Name()))
		}
	}
	return notes
}

// TakeUpLate stores what sessions left of themselves for the store at a path. A note is put
// aside first, so that one that is left meanwhile stays, and deleted last, so that whoever is
// killed in between loses nothing.
func TakeUpLate(ctx context.Context, storePath string, sources history.Sources, open func() (history.Store, error)) error {
	notes := lateNotes(storePath)
	if len(notes) == 0 {
		return nil
	}
	st, err := open()
	if err != nil {
		return err
	}
	var failed error
	for _, note := range notes {
		failed = errors.Join(failed, takeUp(ctx, note, sources, st))
	}
	return failed
}

// takeUp stores the session that a note names, and deletes the note.
func takeUp(ctx context.Context, note string, sources history.Sources, st history.Store) error {
	if !strings.HasSuffix(note, taken) {
		if err := os.Rename(note, note+taken); err != nil {
			return nil //nolint:nilerr // another process took it up
		}
		note += taken
	}
	place, err := repo.ReadRegular(note, maxLate)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && sources.Has(string(place)) {
		var of *history.StoreError
		if _, err := history.Ingest(ctx, st, sources.Read(string(place)), history.Options{Small: true}); errors.As(err, &of) || ctx.Err() != nil {
			return err
		}
	}
	return os.Remove(note)
}

// takeUpLate is TakeUpLate in a store of its own. What cannot be stored now stays noted, and
// a person is told.
func takeUpLate(ctx context.Context, a *Workspace, storePath string, limit time.Duration) {
	if !IsFile(storePath) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var own *store.Store
	err := TakeUpLate(ctx, storePath, a.Sources(), func() (st history.Store, err error) {
		redactor, err := RedactorOf(a, false)
		if err == nil {
			own, err = store.Open(ctx, storePath, sqlite.Write, a.Env.Now)
		}
		if err != nil {
			return nil, err
		}
		return door.Store(own.Entries, redactor), nil
	})
	if own != nil {
		err = errors.Join(err, own.Close())
	}
	if errors.Is(err, sqlite.ErrBusy) && limit == lateTime {
		a.Warning("the latest entries of a session are not stored yet: another process is using the store", "pictx import")
	}
}
