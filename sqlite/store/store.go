package store

import (
	"context"
	"time"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/objects"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// Store is the open store of a project, with one part for each kind of data.
type Store struct {
	Entries   *entries.Store
	Search    *search.Store
	Summaries *summaries.Store
	Marks     *Marks // and pins
	Objects   *objects.Store
	Eraser    *erase.Store

	db *sqlite.DB
}

// Open opens the store at path. now is the clock of everything it writes.
func Open(ctx context.Context, path string, mode sqlite.Mode, now func() time.Time) (*Store, error) {
	db, err := sqlite.Open(ctx, path, mode, now)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, Search: search.New(db), Summaries: summaries.New(db), Marks: &Marks{db}}
	s.Entries = entries.New(db, s.Search)
	s.Eraser = erase.New(db, s.Search)
	s.Objects = objects.New(db, s.Eraser)
	return s, nil
}

// Close closes the store; see sqlite.DB.Close.
func (s *Store) Close() error {
	return s.db.Close()
}

// Discard closes the store and deletes it with all its contents.
func (s *Store) Discard() error {
	return s.db.Discard()
}

// Path returns the path of the database file.
func (s *Store) Path() string { return s.db.Path() }

// Size returns the size of the database and its log in bytes.
func (s *Store) Size() int64 { return s.db.Size() }

// Version returns the schema version of the open database.
func (s *Store) Version(ctx context.Context) (int, error) { return s.db.Version(ctx) }

// Root returns the work tree that last used the store, "" when unknown.
func (s *Store) Root(ctx context.Context) (string, error) { return s.db.Root(ctx) }

// SeenFrom records the project's key and that the store was used from root.
func (s *Store) SeenFrom(ctx context.Context, key, root string) error {
	return s.db.SeenFrom(ctx, key, root)
}

// Checkpoint moves the log into the database file; see sqlite.DB.Checkpoint.
func (s *Store) Checkpoint(ctx context.Context) error { return s.db.Checkpoint(ctx) }

// Backup copies the store into a new file; see sqlite.DB.Backup.
func (s *Store) Backup(ctx context.Context, to string) error { return s.db.Backup(ctx, to) }
