// Package policy decides which tool results a model no longer needs to see, and what
// replaces them. Start reading at Planner.
//
// One planner serves every policy. Sources propose results, protections veto proposals, and
// a When decides whether pruning the rest is worth it. The outcome is a Plan that gives a
// reason for every tool result, pruned or kept. A rule of the policy "auto" is one value with
// its code, its words and its judge; autoRules lists the rules in the order they are asked.
//
// Planning is pure: the same messages and settings give the same plan, byte for byte, on
// every machine, and planning over a plan's own output changes nothing.
//
// The policy "auto" weighs what pruning costs. It bills the requests of a conversation by
// the model of prompt caches in core/token and rewrites cached
// messages only when the expected saving is larger. The policies "seed" and "kota" follow
// pi-context-pruning and pi-kota, which ignore prices.
//
// The package must not know how a session is stored or followed, how settings are read, or
// what time it is: Situation carries the time of the coming request. Planning works on
// heads. The only message text it reads is the arguments of calls and, through functions of
// the Situation, the few messages that are about to be edited.
package policy
