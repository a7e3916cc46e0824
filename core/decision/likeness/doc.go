// Package likeness compares the texts of decisions by their words: which of them say the
// same, and which are closest to a new one. A person or a model reads those and judges
// whether one contradicts it; words alone cannot tell.
//
// It must not know decisions or logs: it takes texts and returns positions.
package likeness
