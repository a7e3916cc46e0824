// Package index is the built-in engine. Its index, one file outside the tree, records what every
// file of the tree imports, exports and declares. The engine brings the index up to date before
// every question and answers from it.
//
// An update compares the status of every file and reads again those that changed. An updated
// index is, byte for byte, the one that reading every file would give. It is written by an atomic
// rename: a reader sees the old index or the new one, and a killed writer leaves the old one. A
// damaged index, or one of another version, is rebuilt.
//
// The package runs git to list files and nothing else, and writes nothing into the tree. It must
// not know of commands, an agent or a store, and knows of a programming language only what
// kota/lang declares. What it takes from a tree is bounded: see maxFile in tree.go.
//
// Start reading at Open in engine.go, then update.go (what changed), link.go (what imports
// resolve to) and flow.go (how names spread through imports).
package index
