// Package workspace is the machine as commands and hooks share it: the process, the project
// with its settings and trust, its stores and sessions, its files, git, and the code to
// index. Package world below it presents the same machine to the hooks.
//
// It connects the edges (sqlite, jsonl, kota) to the ports that core and hooks
// declare. It must not know the command line: it prints nothing, asks nobody and reads no
// flags. Messages to the user go through the functions in Workspace. Start with Workspace
// and Project.
package workspace
