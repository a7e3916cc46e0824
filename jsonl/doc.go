// Package jsonl stores the logs of pictx as line-delimited JSON: the log of the hooks, and
// the log of decisions, which people, git and other programs write too.
//
// The log of decisions is written under a lock, in one write that is synced to disk; after
// a torn line it begins a new one. The meaning of its lines is the business of
// core/decision.
//
// The package must not know sessions, databases, policies or commands.
package jsonl
