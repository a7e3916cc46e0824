// Package texts stores the texts of a database: entries as pi wrote them and contents of
// objects, each only once, some as deltas to others. It also assigns the ids of texts,
// which encode times. It must not know what a text is part of.
package texts
