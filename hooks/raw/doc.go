// Package raw filters events as pi writes them, without the envelope of the extension
// protocol. A program writes an event to standard input and gets the same event back, with
// nothing changed but the content of the tool results that are pruned. All other bytes stay
// the same: providers cache requests by their bytes, and members that pictx does not know
// must survive.
//
// It must not know sessions, stores, settings or the systems of package hooks. Start with
// Filter.Run.
package raw
