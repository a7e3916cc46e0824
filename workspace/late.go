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

// A session may end while another process holds the store for longer than the agent waits,
// for example to rewrite a large database. It then leaves a note beside the store. The next
// process that opens the store first stores the session that the note names. So does the
// process that held the store, when it ends.

const (
	// lateTime bounds the storing of noted sessions when a store is opened.
	lateTime = 3 * time.Second
	// lateEndTime bounds it at the end of a command, which may have been interrupted.
	lateEndTime = 300 * time.Millisecond
	// maxLate is the maximum size of a note in bytes. A note holds the path of a session.
	maxLate = 64 << 10
	// taken is the suffix of a note whose session is being stored.
	taken = ".taken"
)

// lateNote returns the common prefix of the paths of all notes about a store.
func lateNote(storePath string) string {
	return filepath.Join(filepath.Dir(storePath), "late", strings.TrimSuffix(filepath.Base(storePath), ".db")+"-")
}

// LeaveLate leaves a note that a store lacks entries of the session at place.
func LeaveLate(storePath, place string) error {
	sum := sha256.Sum256([]byte(place))
	if err := repo.Replace(fmt.Sprintf("%s%x", lateNote(storePath), sum[:8]), []byte(place), 0o600); err != nil {
		return fmt.Errorf("note that a session is stored late: %w", err)
	}
	return nil
}

// lateNotes lists the notes about a store.
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

// TakeUpLate stores the sessions that the notes about a store name. A note is renamed
// first, so that a new one can be left meanwhile, and deleted last, so that nothing is lost
// if the process is killed.
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
			return nil //nolint:nilerr // another process has taken it
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
	if err := os.Remove(note); !errors.Is(err, fs.ErrNotExist) { // another process may have stored it, too
		return err
	}
	return nil
}

// takeUpLate is TakeUpLate with a store of its own. Notes of sessions that cannot be stored
// now stay, and the user is warned.
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
