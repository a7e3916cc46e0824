// Package jsonl keeps the logs of pictx, which are line-delimited JSON: the log of the
// hooks, and the log of decisions, which people, git and other programs write too.
//
// The log of decisions is written under a lock, in one write that the disk has
// before it counts, and after a line that was torn one begins anew. What a line says
// is the business of core/decision.
//
// The package must not know sessions, databases, policies or commands.
package jsonl
