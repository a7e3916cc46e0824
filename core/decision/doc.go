// Package decision manages the decisions of a project: rules that somebody chose among
// alternatives and that can be acted on. The source of truth is an append-only log of
// events, one JSON object per line. Replaying the log yields the current decisions.
//
// The format is version 1 of the log of the extension pi-decision-memory. Each program
// reads the other's logs; the extension ignores the keys that pictx adds. Replay depends on
// the set of events, not on the order of the lines, so git may merge two logs by keeping
// the lines of both.
//
// The package also finds the decisions closest to a new one, asks a person what to do about
// them, and writes the lines that a model is shown. Start with Read and Replay; Editor makes
// changes. Checks lists the damage of a log and what a person has to settle in it.
//
// It must not know where a log is stored, what time it is or who is asking: lines, clock,
// randomness and names are passed in.
package decision
