// Package sqlite opens the store: one SQLite database per project with everything that
// pictx keeps. It provides the schema, transactions, checkpoints, backups, and the handling
// of stores with an older schema. It must not know the purpose of any table. That is the
// business of the packages below it, one for each kind of data, which implement interfaces
// of core packages. Only these packages know SQL; sqlite/store combines them. Start with
// Open and DB.Tx.
//
// Several processes write to one database. It is in WAL mode, every write is a short BEGIN
// IMMEDIATE transaction, and a process that finds the database locked waits. A hook never
// checkpoints, because a checkpoint with its fsync would cost more than everything else
// that the hook does. Shell commands checkpoint.
//
// Full-text search needs the driver's build tag sqlite_fts5. Without it the store still
// works: new rows are listed in the table unindexed, searching scans, and the next binary
// with the tag catches up. Therefore Go code maintains the index, in the transaction of the
// indexed row. A trigger would make every insert fail in a binary without the tag.
//
// The schema is schema.sql, with its number in PRAGMA user_version. Because nothing has
// been released yet, there are no migrations: SetAside copies a store of an older schema
// to another name, and a new one is built from the session files. Hooks never do that. A
// database newer than the binary is only read.
package sqlite
