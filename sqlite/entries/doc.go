// Package entries stores sessions, the files that they were read from, and their entries.
// It adds new texts to the index of words. It must not know how entries are searched, nor
// summaries, marks and objects.
package entries
