// Package mcp answers questions about source code by asking KotaDB, a program of
// its own that is spoken to by the Model Context Protocol. It starts the server when
// the first question comes, starts it again when it dies, ends it with its children
// whatever becomes of this process, and makes kota's answers of what it says.
//
// What KotaDB cannot know is unknown in an answer, never none. It must not know who
// asks, nor how the built-in engine works; of kota/index it takes what a file list
// and a test are, so that both engines mean the same by them.
package mcp
