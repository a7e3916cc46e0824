// Package lcm reads a database of the extension pi-lcm as sessions and summaries. It never
// writes to that database, and must not know how a store keeps what it reads.
package lcm
