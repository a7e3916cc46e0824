// Package objects stores objects with their versions. It stores the contents of files and
// system prompts as texts; what a tool returned and what was said in a chat it reads from
// the entries of history. It must not know summaries or marks.
package objects
