// Package ledger keeps the account of a conversation: what its requests were billed, with
// what was pruned and without, and how much of the coming one the provider's cache holds.
// It follows a conversation that grows, so that the next request costs what is new.
//
// The package must not know why anything is pruned, nor sessions.
package ledger
