// Package prune applies a policy to sessions: it reads a session at one of its entries, asks
// the policy's planner what the model no longer needs to see, and stores the decision. Start
// reading at Decide.
//
// A Branch is a session as the model sees it at one entry, with what was pruned, pinned,
// activated and deactivated there. A Memory keeps the branches of a process that stays, so
// that the cost of a turn depends on what is new in it. A decision to prune is kept as Marks, in
// the store and in the session; one that cannot be stored is not made.
//
// The package must not know why a result goes (see the package policy), where sessions come
// from or decisions go to (files, hooks, stores), how settings are read, or what time it is:
// Moment carries the time of the coming request.
package prune
