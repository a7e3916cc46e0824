// Package summaries stores the graph of summaries, and the leases of those who write them.
// It reads the entries that summaries are made from; it must not know how entries are
// stored or searched.
package summaries
