// Package search makes the full-text indexes of history, and answers from them. It must not
// know how entries come into the store: new texts are handed to AddWords in the transaction
// that stores them, and the indexes of parts of words are made later, by Derive.
//
// An import stores many texts in one transaction, with their words. It leaves FTS5's
// automatic merging of segments out of that, and merges them in short transactions at its
// end: killed at any point, it leaves a store that is whole, whose index has more
// segments than it should until there is time to merge them.
package search
