// Package health computes statistics of a store, checks its parts against each other, and
// repairs what can be rebuilt from the rest. It must not know objects, which check
// themselves.
package health
