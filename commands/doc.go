// Package commands is the command line: it turns flags into calls of the use
// cases in core, and their results into text or JSON. It is the composition
// root, the one place where stores, readers and policies meet, and the only
// package that asks a person anything.
//
// Nothing is decided here that a hook would have to decide too: a command that
// grows a rule of its own has a use case to move into core.
package commands
