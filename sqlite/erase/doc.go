// Package erase deletes content from a store: purged entries, redacted texts, and texts
// that nothing refers to any more, with everything that the indexes hold of them. Scrub
// then verifies that the file has no remains, and rewrites it if necessary. Start with
// Choose, Purge and Scrub.
//
// It must not decide what is deleted.
package erase
