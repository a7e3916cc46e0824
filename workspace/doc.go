// Package workspace is what a command and a hook both stand in: the process, the
// project and its settings, who trusts it, its stores and sessions, its files, git,
// and the code that is indexed. Package world below it is the machine as the hooks see it.
//
// It wires the edges (sqlite, jsonl, project, kota) behind the ports that core and
// hooks declare. It must not know the command line: it prints nothing, asks nobody and
// reads no flags; what a person must be told goes through the functions it is given.
package workspace
