// Package words finds the files that answer a question asked in plain words:
// "where is the retry delay computed". It takes the words that carry meaning, and
// looks for them as whole or inflected parts of names (retryDelay, RETRY_DELAY),
// in paths, code and comments, and weighs a file by where it has them and how
// close together.
//
// It needs no index of words: one pass over a file finds all words at once.
// Everything follows from what it is handed. The package must not know where
// files come from, nor any programming language beyond the look of a comment.
package words
