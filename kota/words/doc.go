// Package words ranks files by a question in plain words: "where is the retry delay computed". It
// takes the meaningful words, finds them as whole or inflected parts of names (retryDelay,
// RETRY_DELAY) in paths, code and comments, and scores a file by where they occur and how close
// together.
//
// It needs no word index: one pass over a file finds all words at once. Results depend only on
// its arguments. The package must not know where files come from, nor any programming language
// beyond the look of a comment.
//
// Start reading at Parse, Query.Look and Query.Rank.
package words
