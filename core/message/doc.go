// Package message models what pi stores and sends: messages, session entries, and the tree
// they form. It is lossless: a value is a Head with the few fields that policies read, next
// to the bytes exactly as pi wrote them. Decoding and encoding is the identity. The only
// way to change a message is to splice one value into its bytes, which leaves every other
// byte alone; key order, unknown fields, lone surrogates and numbers too large for a float
// survive, which a round trip through maps or structs would lose.
//
// The package also knows what the model saw: a Tree holds the heads of a session's entries,
// follows parents from any leaf, applies compactions and context edits as pi does, and
// yields the messages of every request. Start reading at Head, Entry and Tree. The first line of a
// session file is a Header; which fields of a line are read stands in entry.go.
//
// It must not know files, databases, prices or policies. It reads byte slices that the
// caller provides and never retains them.
package message
