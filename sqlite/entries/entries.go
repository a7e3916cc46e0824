package entries

import (
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/texts"
)

var _ history.Store = (*Store)(nil)

// Store stores the sessions of one database, with their files and entries.
type Store struct {
	db     *sqlite.DB
	texts  *texts.Store
	search *search.Store
}

// New returns the entries of a database. Stored texts are added to the index of search in
// the same transaction.
func New(db *sqlite.DB, t *texts.Store, index *search.Store) *Store {
	return &Store{db: db, texts: t, search: index}
}
