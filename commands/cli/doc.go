// Package cli is what every command of the command line has in common: the process's
// streams and terminal, text or JSON, tables, colour, progress, confirmations,
// completions and shared flags. Run is one run of the program; commands take it and
// none embeds it.
//
// The package must not know any noun: what a command does is in the package of its
// noun, and what it needs of the machine is in workspace.
package cli
