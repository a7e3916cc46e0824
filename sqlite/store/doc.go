// Package store opens the store of a project with all of its parts. It creates and closes
// the parts, and runs in order what involves several of them. It must not know how they
// work.
package store
