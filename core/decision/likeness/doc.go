// Package likeness compares the texts of decisions: which of them say the same, which
// contradict each other, and which have nothing to do with one another. What it says is a guess
// for a person to look at, except that texts are equal after Normal; each guess has a reason.
//
// A text is read into features (features.go): the stems of its words, what it counts and measures,
// what it denies, rejects or leaves open. Two texts are laid over each other (overlap.go): the same
// stems first, then forms, opposites, and names that do the same job (kinds.go). They are related where
// enough of their weight is matched, and class.go says how, what is most specific first. To teach it a
// technology or a word, add it to the tables of kinds.go or words.go; pairs that it must know and pairs
// that measure it are in testdata.
//
// It must not know what a decision is: texts are handed in, and positions come out.
package likeness
