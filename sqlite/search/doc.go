// Package search maintains the full-text indexes of history and queries them. It must not
// know how entries enter the store: new texts are passed to AddWords in the transaction
// that stores them, and the indexes of parts of words are made later, by Derive. Start
// reading at Store.Match and Store.Scan.
//
// An import stores many texts in one transaction, with their words. It turns FTS5's
// automatic merging of segments off meanwhile, and merges them in short transactions at its
// end. If it is killed at any point the store is intact; its index has more segments than
// it should until there is time to merge them.
package search
