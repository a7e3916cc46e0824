// Package summary covers the old part of a session with summaries that form a directed
// acyclic graph: leaves stand for spans of messages, condensed nodes for runs of nodes
// below them. The text that replaces the past in an agent's context after a compaction is
// assembled from the graph's roots. Everything below a root can be restored.
//
// Messages are not marked as covered. A leaf names the entries it was made from and holds a
// hash of their bytes; which leaves apply to a branch, and which messages are uncovered, is
// computed from the branch's path each time. A summary therefore serves every branch and
// fork that contains its span. A summary whose source changed afterwards is stale and
// applies nowhere, nor does anything above it.
//
// A node's key is derived from its sources, so making it twice yields one node, and a
// killed run is completed by the next. The same code serves pi, where models are asked
// between two events of the agent, and the shell, where a Summarizer is called: a Job says
// what to ask next and accepts replies in any order.
//
// The types from the outside in: Job drives, over a Store with a Lease; Branch is the path
// of a session up to the messages that are kept, made of Units; Cover says which messages
// the Nodes cover; Task is a node to be made, Request a prompt to a model; Assemble writes
// what the model will read.
//
// The package must not know files, SQL, pi's events, commands or any model. It has no clock
// but the one it is given, and starts no processes.
package summary
