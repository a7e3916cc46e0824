// Package project finds out which project a directory belongs to, and where the stores
// of projects are.
//
// It is a package of its own, below workspace, because it is the first that a hook asks,
// before anything is trusted: it reads the files by which git says where a repository is,
// and any of them may come with a cloned repository and lie. So it imports nothing but
// the standard library, starts no process (a hook has no time for a git either), writes
// nothing, and reads at most the beginning of a file. It must not know what is in a store
// or a session, nor where an agent keeps its own files.
package project
