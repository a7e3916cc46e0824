// Package pruning turns the settings in force into the planner that they ask for, and reads
// what can be pruned: sessions and lists of messages. It must not know cobra, and prints
// nothing. Start with Planner and Document.
package pruning
