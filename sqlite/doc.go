// Package sqlite is the store: one SQLite database for each project, holding
// what pictx keeps. It implements the interfaces that core packages declare and
// is the only package that knows SQL.
//
// Several processes write to one database: it is in WAL mode, every write is a
// short BEGIN IMMEDIATE transaction, and whoever finds it locked waits. A hook's
// connection leaves the WAL as it is, because a checkpoint and its fsync would
// cost more than everything else the hook does; shell commands checkpoint.
//
// Full-text search needs the build tag sqlite_fts5 of the driver. Without it the
// store works all the same: what is written is listed in the table unindexed,
// searching scans, and the next binary that has the tag catches up. The index is
// therefore made by Go, in the transaction of the row it indexes, and never by a
// trigger, which would fail every insert of a binary that lacks it.
//
// An import stores many texts in one transaction, with their words. It leaves FTS5's
// automatic merging of segments out of that, and merges them in short transactions at its
// end: killed at any point, it leaves a store that is whole, whose index has more
// segments than it should until somebody has time to merge them.
//
// Migrations are the files in migrations, in the order of their names, counted
// by PRAGMA user_version. A file is never edited once it was released. Hooks
// never migrate; a database newer than the binary is only read.
package sqlite
