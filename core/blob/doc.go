// Package blob stores the full text of results that exist nowhere else, because they were
// truncated before they entered a session. The id of a blob is the SHA-256 of its text, so
// the same text is stored once. Start reading at Store.Put and Store.GC.
//
// A cache is a directory. In <aa>, the first two digits of an id, are
//
//	<id>.zst    the text, compressed
//	<id>.by     the session files that name it, one per line
//	.tmp-…      being written, or left by a killed writer
//
// The modification time of a blob's file is its last use. Everything else
// in the directory belongs to others and is neither followed nor touched.
//
// Any number of processes may read, write and remove concurrently. A blob appears whole, by
// a rename. Writers share a lock, which who removes blobs has alone, so that a writer that
// was told that its text is stored can rely on it.
//
// This is the only package of core that accesses files, through an os.Root, so that it
// cannot leave its directory. It must not know what a session, a tool or a setting is, and
// it has no clock but the one it is given.
package blob
