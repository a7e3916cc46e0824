// Package health counts what is in a store, compares its parts with each other, and repairs
// what can be made again from the rest. It must not know objects, which check themselves.
package health
