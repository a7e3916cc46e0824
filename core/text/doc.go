// Package text writes what people and models read about data: a text on one
// line, a number with its noun, an amount of bytes, tokens or dollars, a time. It
// also compares words as a search does: folded, or by their stems.
//
// Where two places write the same thing differently, and what they write is
// promised, both forms are here under names that tell them apart.
//
// Everything here is a pure function: the package must not know sessions, models,
// policies or stores, and it has no clock. Text that hides something or forges a
// line is the business of core/fence.
package text
