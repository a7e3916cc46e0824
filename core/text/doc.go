// Package text formats data for people and models: a text as one line, a number with its
// noun, amounts of bytes, tokens and dollars, times. It also compares words for searches,
// folded or by their stems.
//
// Where two callers have promised different formats for the same thing, both formats are
// here under names that tell them apart.
//
// All functions are pure. The package must not know sessions, models, policies or stores,
// and it has no clock. Text that hides something or forges a line is the business of
// core/fence.
package text
