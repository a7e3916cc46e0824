// Package hooks answers pi's events. Its extension sends requests: an event of a
// session in an envelope, without the messages. A Dispatcher hands it to the systems,
// in their order, each of which calls the use cases of a package under core and adds
// to the reply: what to edit, what to append to the session, what to show, what to
// ask. Once and Serve are two transports of the same handlers. Systems remember
// nothing; a process may be killed and another one started between any two events.
// The protocol is described in schema/v1; protocol.go and reply.go are its types.
//
// The list of events in events.go is generated from the table in package events.
// Package raw filters events that come without an envelope.
//
// Nothing here may stop the agent: what cannot be read gets no answer, what goes
// wrong or takes too long changes nothing.
//
// The package translates and nothing else. It must not know SQL, files or the
// command line; World and Project hand it what it needs of the machine.
package hooks
