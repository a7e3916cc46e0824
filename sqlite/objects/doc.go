// Package objects stores objects with versions in two times: when something was true, and
// when it was known. Contents are texts, which may be shared with history. It must not know
// entries, summaries or marks.
package objects
