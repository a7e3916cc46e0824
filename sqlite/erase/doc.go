// Package erase deletes from a store what must not be in it: entries that are purged,
// texts that are redacted or that nothing refers to any more, with all that indexes have of
// them. Scrub then rewrites the file and looks for what is left. It must not decide what
// goes.
package erase
