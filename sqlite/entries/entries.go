package entries

import (
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

var _ history.Store = (*Store)(nil)

// Store stores the sessions of one database, with their files and entries.
type Store struct {
	db     *sqlite.DB
	search *search.Store
}

// New returns the entries of a database. Stored texts are added to the index of search in
// the same transaction.
func New(db *sqlite.DB, index *search.Store) *Store {
	return &Store{db: db, search: index}
}
