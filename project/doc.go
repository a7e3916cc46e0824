// Package project determines the project of a directory and the locations of the projects'
// stores.
//
// A hook asks it first, before anything is trusted. It reads the files with which git
// locates a repository, and any of these may come with a cloned repository and lie. That is
// why it is separate from workspace: it imports only the standard library, starts no
// process (a hook has no time to run git either), writes nothing, and reads no file beyond
// its beginning. Start with Find.
//
// It must not know what a store or a session contains, or where an agent keeps its own
// files.
package project
