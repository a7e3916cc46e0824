// Package hooks answers pi's events. An event comes in as pi sends it, the
// packages under core decide, and what goes out is the event again with only the
// bytes changed that had to change: pi's requests are cached by their bytes, and
// what this program does not know must pass through it unharmed.
//
// Nothing here may stop the agent: what cannot be read gets no answer, what goes
// wrong or takes too long leaves the event as it was.
//
// The package translates and nothing else. It must not know policies, settings,
// stores or the command line; those are handed to it.
package hooks
