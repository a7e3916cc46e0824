// Package prune decides which tool results the model no longer needs to see, and
// what stands in their place. Decide is the use case: it reads a session,
// plans, and remembers the decision.
//
// There is one planner for every policy: sources propose results, protections take
// back what must stay, a When decides whether the rest is worth acting on, and the
// outcome is one Plan that explains itself: for every tool result it says why it goes
// or why it stays. A rule of the policy "auto" is one value in one file, with its
// code, its words and its judgement; autoRules lists them in the order they are asked.
//
// Planning is pure: the same messages and settings give the same plan, byte for
// byte, on every machine, and planning on a plan's own output changes nothing.
//
// The policy "auto" asks what pruning costs: it keeps an account of the requests
// that a context was sent with, by the model of providers' prompt caches in core/token,
// and rewrites what is cached only when that is expected to pay. The policies
// "seed" and "kota" are those of pi-context-pruning and pi-kota, which know no
// prices.
//
// The package must not know where messages come from or go to (files, hooks,
// stores), how settings are read, or what a clock says: the time of the coming
// call is part of the Situation. It sees heads; the only text it reads is the
// arguments of calls, and through a function that it is given that of the few
// results whose markers say something of it.
package prune
