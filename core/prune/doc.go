// Package prune decides which tool results the model no longer needs to see, and
// what stands in their place. There is one planner for every policy: sources
// propose results, protections take back what must stay, a When decides whether
// the rest is worth acting on, and the outcome is one Plan that explains itself:
// for every tool result it says why it goes or why it stays.
//
// Planning is pure: the same messages and settings give the same plan, byte for
// byte, on every machine, and planning on a plan's own output changes nothing.
//
// The package must not know where messages come from or go to (files, hooks,
// stores), how settings are read, or what a clock says. It sees heads; the only
// text it reads is the arguments of calls.
package prune
