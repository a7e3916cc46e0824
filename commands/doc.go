// Package commands is the command line. It turns flags into calls of the use cases in core,
// and their results into text or JSON, and is the only part that asks the user anything.
// Stores, readers and policies are connected in workspace.
//
// It makes no decision that a hook would have to make too. A rule that grows in a command
// belongs in a use case in core. Start with root.go.
package commands
