// Package ledger says what the coming request of a session would cost, with more pruned and
// without: how much of it the provider's cache holds, and why the cache is cold when it is.
// What was sent so far it knows from the walk over the session. Start reading at Coming and
// Account.
//
// The package must not know why anything is pruned.
package ledger
