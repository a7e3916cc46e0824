// Package decision keeps the decisions of a project: chosen, actionable rules that had
// alternatives. The source of truth is an append-only log of events, one JSON object a
// line; replaying it gives the current decisions.
//
// The format is version 1 of that of the extension pi-decision-memory: each program
// reads the other's logs, and the keys that this one adds are ignored there. The same
// set of events gives the same decisions whatever the order of the lines, so git may
// merge two logs by keeping the lines of both.
//
// The package also finds the decisions that a new one is related to, writes the lines
// that a model is shown, finds candidates in what a user typed, and checks a log.
//
// It must not know where a log is stored, what time it is or who is asking: lines,
// clock, randomness and names are handed in.
package decision
