// Package hooks answers the events of an agent session.
//
// pi's extension sends requests: one event in an envelope that names the session, without
// its messages. A Dispatcher passes each request to the Systems in a fixed order. A System
// calls a use case of a package under core and adds to the Reply: edits to the context,
// entries for the session, notices to the user, questions. Serve answers a stream of
// requests, Once a single one; both use the same handlers. Systems keep no state, so the
// process may be killed and replaced between any two events.
//
// Start with system.go (System, Call, Project), then dispatch.go (the life of a request).
// protocol.go and reply.go are the types of the protocol, which schema/v1 describes.
// bare.go filters events that come without an envelope.
//
// Nothing here may stop the agent: a request that cannot be read gets no reply, and an
// event that fails or takes too long changes nothing.
//
// The package translates between the protocol and core. It must not know SQL, files or the
// command line: World and Project are its only access to the machine.
package hooks
