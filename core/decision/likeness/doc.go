// Package likeness compares the texts of decisions: which of them say the same, which
// contradict each other, and which have nothing to do with one another. What it says is a guess
// for a person to look at, except that texts are equal after Normal.
//
// It must not know what a decision is: texts are handed in, and positions come out.
package likeness
