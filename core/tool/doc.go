// Package tool knows the tools of pi, and the names that other agents give theirs: whether
// a tool can be run again without harm, and which file a call reads, changes or lists, as
// far as its arguments say.
//
// It must not know the policies, objects and stores that use it. It reads arguments and
// opens no files.
package tool
