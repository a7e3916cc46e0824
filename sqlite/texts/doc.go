// Package texts stores the texts of a database: entries as pi wrote them and contents of
// objects, each only once, some as deltas to others. The package also assigns the ids of
// texts, which encode times. It must not know what else refers to a text.
package texts
