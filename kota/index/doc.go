// Package index is the engine built into the program: it keeps what every file
// of a tree imports, exports and declares in one file outside the tree, brings it
// up to date before every question, and answers from it.
//
// Up to date means that every file's status is compared on every query, and what
// changed is read again. An index that was brought up to date is, byte for byte,
// the one that reading every file would give. Writing it is an atomic
// rename: a reader sees the old one or the new one, a killed writer leaves the
// old one, and one that is damaged or of another version is made again.
//
// The package runs git to list files, and nothing else; it writes nothing into
// the tree. It must not know of commands, of an agent or of a store,
// and of a programming language only what kota/lang declares.
package index
