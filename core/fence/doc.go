// Package fence makes text from a session, a file or a model safe to show to a model or a
// person: nothing in it is invisible, reorders the surrounding text, forges a line of ours
// or closes the fence around it.
//
// Hidden characters become visible rather than being removed, so that a reader sees what
// was there. The result depends on the text alone, because it becomes part of prompts that
// providers cache.
//
// The package must not know where a text comes from or what it is for.
package fence
