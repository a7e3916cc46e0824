// Package message models what pi stores and sends: messages, session entries,
// and the tree they form. It is lossless by construction: a value is a Head of
// the few fields a policy reads, next to the bytes exactly as pi wrote them.
// Decoding and encoding again is the identity; the only way to change a message
// is to splice one value into its bytes, which leaves every other byte alone
// (key order, unknown fields, lone surrogates and numbers too big for a float
// survive, where a round trip through maps or structs would lose them).
//
// The package also answers "what did the model see": a Tree holds the heads of a
// session's entries, follows parents from any leaf, applies compactions and
// context edits as pi does, and yields the message list of every model call.
//
// It must not know files, databases, prices or policies. It reads byte slices that its
// caller fetched, and never keeps them.
package message
