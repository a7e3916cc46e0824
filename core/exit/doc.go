// Package exit defines the exit codes of the program, and errors that carry an exit code
// and a hint: a command that can be pasted.
//
// It must not know which errors of other packages map to which code; workspace does.
package exit
