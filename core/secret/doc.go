// Package secret finds keys in text: those of known formats, which say themselves what
// they are, and what the user's own expressions match. It must not know where a text
// comes from, or what becomes of what is found.
package secret
