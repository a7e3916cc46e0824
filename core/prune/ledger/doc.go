// Package ledger keeps the account of a conversation: what its requests were billed, with
// pruning and without, and how much of the coming request the provider's cache holds. It
// follows a growing conversation, so that the cost of the next request depends on what is
// new. Start reading at Conversation and Account.
//
// The package must not know why anything is pruned, and knows no sessions.
package ledger
