// Package fence makes text that came from a session, a file or a model safe to show to
// a model or a person: nothing in it is invisible, reorders the text around it, forges
// a line of ours or closes the fence around it.
//
// Hidden characters become visible instead of disappearing, so that a reader sees that
// something was there and what it was. The same text always gives the same result,
// because it becomes part of prompts that providers cache.
//
// The package must not know where a text comes from or what it is for.
package fence
