// Package erase deletes content from a store: purged entries, redacted texts, and texts
// that nothing refers to any more, with everything that the indexes hold of them. Scrub
// then rewrites the file, so that nothing is left of them in it. Start with Choose, Purge
// and Scrub.
//
// It must not decide what is deleted.
package erase
