// Package search maintains the full-text indexes of history, answers queries with them, and
// finds entries by id. It must not know how entries enter the store: new texts are passed to
// Add in the transaction that stores them. Start reading at Store.Search.
package search
