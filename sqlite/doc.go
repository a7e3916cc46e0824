// Package sqlite opens the store: one SQLite database for each project, holding what
// pictx keeps. It has the schema, transactions, the log, backups, and what becomes of a
// store of an older schema. It must not know what any table is for: that is known by the
// packages below it, one for each kind of thing in the store, which implement the
// interfaces that core packages declare. Only these packages know SQL; sqlite/store puts
// them together.
//
// Several processes write to one database: it is in WAL mode, every write is a
// short BEGIN IMMEDIATE transaction, and a process that finds it locked waits. A hook's
// connection leaves the WAL as it is, because a checkpoint and its fsync would
// cost more than everything else the hook does; shell commands checkpoint.
//
// Full-text search needs the build tag sqlite_fts5 of the driver. Without it the
// store works all the same: what is written is listed in the table unindexed,
// searching scans, and the next binary that has the tag catches up. The index is
// therefore made by Go, in the transaction of the row it indexes, and never by a
// trigger, which would fail every insert of a binary that lacks it.
//
// The schema is schema.sql, with its number in PRAGMA user_version. Nothing was released
// yet, and so there are no migrations: a store of an older schema gets another name, by
// SetAside, and is made again from the session files. Hooks never do that; a database
// newer than the binary is only read.
package sqlite
