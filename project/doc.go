// Package project finds out where things are: pi's agent directory, the project
// a directory belongs to, the store and the session files of that project, and
// whether pi trusts it.
//
// It also watches files for changes. It reads directories and small files and writes
// nothing, starts no process (git's directories are found by reading them, because a
// hook has no time for a git) and must not know what is in the store or in a session.
package project
