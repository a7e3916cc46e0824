// Package blob stores the full text of results that exist nowhere else, because they
// were cut before they came into a session. The id of a blob is the SHA-256 of its
// text, so that the same text is stored once.
//
// A cache is a directory. In <aa>, the first two digits of an id, are
//
//	<id>        the text
//	<id>.zst    the text, compressed, if it is above 4 KiB and gets smaller
//	<id>.by     the session files that name it, one a line
//	.tmp-…      what is being written, or was when its writer was killed
//	.going-…    what is being removed, or was when its remover was killed
//
// and beside them gone/<year>-<month>.jsonl, which says when and why each removed blob
// was removed. The time of a blob's file is its last use. Everything else in the
// directory belongs to others and is neither followed nor touched.
//
// Any number of processes may read, write and remove at the same time; there is no
// lock. A blob appears whole, by a rename, and is removed by one: the remover moves it
// to a name of its own, looks at it again, and restores it when another process used it
// meanwhile. A writer that was told that its text is stored can rely on it.
//
// This is the only package of core that touches files, through an os.Root, so that it
// cannot leave its directory. It must not know what a session, a tool or a setting is,
// and it uses no clock but the one it is handed.
package blob
