// Package commands is the command line. It turns flags into calls of the use cases in core,
// and their results into text or JSON. It is the composition root, where stores, readers
// and policies are connected, and the only package that asks the user anything.
//
// It makes no decision that a hook would have to make too. A rule that grows in a command
// belongs in a use case in core. Start with root.go.
package commands
