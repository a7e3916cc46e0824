// Package lcm reads a database of the extension pi-lcm as sessions and summaries. It only
// reads that database, and must not know how a store keeps what it gets from there.
package lcm
