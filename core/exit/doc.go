// Package exit has the exit codes of the program, and errors that carry one with a
// hint: a command that can be pasted.
//
// It must not know which error of which package means which code; workspace does.
package exit
