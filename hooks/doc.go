// Package hooks answers pi's events, in two ways.
//
// An extension sends requests: an event of a session in an envelope, without the
// messages. A Dispatcher hands it to the systems, in their order, each of which
// calls the use cases of a package under core and adds to the reply: what to
// edit, what to append to the session, what to show, what to ask. Once and Serve
// are two transports of the same handlers. Systems remember nothing; a process may
// be killed and another one started between any two events. The protocol is
// described in schema/v1; protocol.go and reply.go are its types.
//
// A person, or another program, sends an event as pi has it: Handler.Bare prints
// the event again with only the bytes changed that had to change. pi's requests
// are cached by their bytes, and what this program does not know must pass
// through it unharmed.
//
// Nothing here may stop the agent: what cannot be read gets no answer, what goes
// wrong or takes too long changes nothing.
//
// The package translates and nothing else. It must not know SQL, files or the
// command line; World and Project hand it what it needs of the machine.
package hooks
