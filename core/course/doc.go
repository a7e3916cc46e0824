// Package course follows what a session sent to its models, request by request: what the
// context consisted of, how much of it the provider's cache held and why not more, what was
// billed, and what was pruned or compacted. Start reading at Read.
//
// A provider counts only whole requests. The parts are the agent's own estimates, scaled to
// that sum; what no message accounts for is the system prompt and the definitions of tools.
// Of these, only what pictx declares is known separately.
//
// Requests that failed or were stopped are left out, because their bill is not known. The
// package must not know where sessions are kept or how a figure is shown.
package course
