// Package entries keeps sessions, the files that they were read from, and their entries. It
// puts what is new into the index of words. It must not know how entries are found again,
// nor what summaries, marks and objects are.
package entries
