// Package decisions shows the agent what was decided in its project, and what changes,
// and records what its user decides: in dialogs, by commands, and as drafts that the
// model proposes.
//
// It translates between events and the use cases of core/decision. The package must not
// know where decisions are kept, nor how two of them are compared.
package decisions
