// Package blob keeps the full text of results that are nowhere else: what was cut
// before it came into a session. A text is a blob under the SHA-256 of its bytes,
// so that the same text is kept once however often it comes.
//
// A cache is a directory. In <aa>, the first two digits of an id, lie
//
//	<id>        the text as it is
//	<id>.zst    the text, compressed; texts above 4 KiB that get smaller by it
//	<id>.by     the session files that name it, a line each
//	.tmp-…      what is being written, or was when its writer was killed
//	.going-…    what is being removed, or was when its remover was killed
//
// and beside them gone/<year>-<month>.jsonl, which says of every blob that was
// removed when and why. The time of a blob's file is its last use. Everything else
// in the directory belongs to others and is neither followed nor touched.
//
// Any number of processes may read, write and remove at once; there is no lock. A
// blob appears whole, by a rename, and it goes by one as well: who removes it
// looks at it again under a name of its own, and puts it back when somebody used
// it meanwhile. A writer that was told its text is kept can rely on it.
//
// This is the one package of core that touches files, through an os.Root, so that
// nothing it does gets outside its directory. It must not know what a session, a
// tool or a setting is, and it asks no clock but the one it is handed.
package blob
