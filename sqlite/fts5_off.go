//go:build !sqlite_fts5 && !fts5

package sqlite

// builtWithFTS5 reports whether the driver was built with full-text search.
const builtWithFTS5 = false
