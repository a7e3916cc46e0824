// Package pruning turns the settings in force into the planner that they ask for, and reads
// what can be pruned at the shell: sessions and lists of messages. Start with Planner and
// Document.
//
// It must not know commands or flags, and prints nothing.
package pruning
