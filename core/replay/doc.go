// Package replay prices recorded sessions: it goes through the model calls of a
// session once for every policy of pruning, lets the policy decide before each
// call as it would have in pi, and bills what would have been sent by the model
// of a provider's prompt cache. Beside the bill it counts what pruning may cost:
// later edits and calls that needed a text that was no longer to be seen.
//
// A Recording holds what all policies need of a session and is made once; a run
// over it is pure, so that the same session and settings give the same figures
// on every machine, and may go on beside others.
//
// What is counted of lost text are proxies. They say what a model could not see,
// not whether it would have solved its task.
//
// The package must not know files, stores or how a result is shown. It reads the
// text of entries through a function that it is given.
package replay
