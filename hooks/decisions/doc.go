// Package decisions shows an agent the decisions of its project and their changes, and
// records what its user decides: in dialogs, by commands, and as drafts that the model
// proposes.
//
// It translates between events and the use cases of core/decision. It must not know where
// decisions are stored or how two of them are compared.
package decisions
