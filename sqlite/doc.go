// Package sqlite opens the store: one SQLite database per project with everything that
// pictx keeps. It provides the schema, transactions, checkpoints, backups, the texts of
// entries and files, each packed and stored once, and the handling of stores with an older
// schema. It must not know the purpose of any table. That is the business of the packages below
// it, one for each kind of data, which implement interfaces of core packages. Only these
// packages know SQL; sqlite/store combines them. Start with Open and DB.Tx.
//
// Several processes write to one database. It is in WAL mode, every write is a short BEGIN
// IMMEDIATE transaction, and a process that finds the database locked waits. A hook never
// checkpoints, because a checkpoint with its fsync would cost more than everything else
// that the hook does. Shell commands checkpoint.
//
// There are two drivers for one kind of store: SQLite in C, where a C compiler and the tag
// sqlite_fts5 are given, and SQLite translated to Go, which takes 1.3 to 1.5 times the CPU. Go
// code maintains the full-text index, in the transaction of the indexed row.
//
// The schema is schema.sql and the migrations after it, see migrations, with its number in PRAGMA
// user_version. Whoever opens the store of an older release migrates it. SetAside copies a store
// of a build before the first release to another name, and a new one is built from the session
// files; hooks never do that. A database newer than the binary is only read.
package sqlite
