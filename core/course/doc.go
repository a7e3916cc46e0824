// Package course follows what a session sent to its models, request by request: what the
// context was made of, how much of it the provider's cache held and why it did not hold
// more, what was billed, and where something was pruned or compacted.
//
// A provider counts a request as a whole. Its parts are the agent's own estimates, brought
// to that sum; what no message accounts for is the system prompt and the definitions of
// the tools. Only what pictx declares itself is known apart.
//
// Requests that failed or were stopped are left out: what they were billed is not known.
// The package must not know where sessions are kept or how a figure is shown.
package course
