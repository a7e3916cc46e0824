// Package likeness compares the texts of decisions: which say the same, which contradict
// each other, and which are unrelated. Except for texts that are equal after Normal, the
// result is a guess for a person to judge, and each guess comes with a reason.
//
// A text is parsed into features (features.go): the stems of its words, its counts and
// quantities, what it denies, rejects or leaves open. The features of two texts are then
// aligned (overlap.go): equal stems first, then inflected forms, opposites, and names that
// do the same job (kinds.go). Texts are related when enough of their weight is matched.
// class.go then tells how, trying the most specific relation first. To teach the package a
// technology or a word, add it to the tables in kinds.go or words.go. testdata has the
// pairs that must be recognized and the pairs that measure quality.
//
// The package must not know what a decision is: it takes texts and returns positions.
package likeness
