// Package summaries keeps the graph of summaries, and the leases of those who write them. Of
// the entries it reads what summaries are made from; it must not know how they are stored
// or searched.
package summaries
