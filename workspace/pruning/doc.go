// Package pruning turns the settings in force into the planner that they ask for, and reads
// what a shell can prune of a session. Start with Planner and Session.
//
// It must not know commands or flags, and prints nothing.
package pruning
