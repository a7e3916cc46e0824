package search

import (
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// Store searches the history of one database, and makes the indexes for that.
type Store struct {
	db    *sqlite.DB
	texts *texts.Store
	words wordList
}

// New returns what searches a database.
func New(db *sqlite.DB, t *texts.Store) *Store { return &Store{db: db, texts: t} }

// FullText implements history.SearchStore.
func (s *Store) FullText() bool { return s.db.FullText() }
