package entries

import (
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/texts"
)

var _ history.LoadStore = (*Store)(nil)

// OriginLCM marks entries that a database of pi-lcm had and no session file.
const OriginLCM = "lcm"

// Store keeps the sessions of one database, their files and their entries.
type Store struct {
	db     *sqlite.DB
	texts  *texts.Store
	search *search.Store
	bulk   bulkLoad
}

// New returns what keeps the entries of a database. What it stores it puts into the
// indexes of search, in the same transaction.
func New(db *sqlite.DB, t *texts.Store, index *search.Store) *Store {
	return &Store{db: db, texts: t, search: index}
}
