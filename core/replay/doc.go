// Package replay prices recorded sessions. For every pruning policy it goes through the
// requests of a session, lets the policy decide before each as it would have in pi, and
// bills what would have been sent with a model of the provider's prompt cache. It also
// counts what pruning may cost: later edits and calls that needed text the model could no
// longer see. Start reading at Load and Recording.Run.
//
// A Recording holds what all policies need of a session and is made once. A run over it is
// pure, so that the same session and settings give the same figures on every machine.
//
// The counts of missing text are proxies. They say what a model could not see, not whether
// it would have solved its task.
//
// The package must not know files, stores or how a result is shown. It reads the text of
// entries through a function of its caller.
package replay
