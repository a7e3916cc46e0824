// Package store opens the store of a project with all its parts. It must not know what they
// do: it makes them, closes them, and does in order what concerns several of them.
package store
