// Package decision keeps what was decided in a project: a chosen, actionable rule
// that had alternatives. Its truth is a log of events, a JSON object a line, which
// is only ever appended to; what is decided now is what the events come to.
//
// The format is the one of the extension pi-decision-memory, version 1, so that
// its logs are read here and ours are read there. What we add are keys that it
// does not look at. The same set of events gives the same decisions in whatever
// order the lines stand: git may merge two logs by keeping the lines of both.
//
// The package also says which decisions are like a new one, writes the lines that
// a model is shown, finds candidates in what a user typed, and checks a log.
//
// It must not know where a log lies, what time it is or who is asking: lines,
// clock, randomness and names are handed in.
package decision
