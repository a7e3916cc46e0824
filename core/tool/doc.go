// Package tool knows the tools of pi, and what other agents call theirs: whether one
// can be run again without harm, and which file a call reads, changes or lists, as
// far as its arguments say.
//
// It must not know policies, objects or stores, which use it. It reads arguments and
// opens no file.
package tool
