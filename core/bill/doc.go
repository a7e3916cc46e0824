// Package bill is the one definition of what a session costs with pictx and what
// plain pi would have cost beside it. Replay, the footer, /prune-stats and reports
// all fill in a Book; none of them adds up money of its own.
//
// # What is counted
//
// Both sides send the same requests of the agent. Plain pi sends the conversation as
// it is. With pictx the bill has these parts, and their costs add up to all of it:
//
//	Requests      the conversation, without what follows
//	Declarations  the definitions of the tools that pictx declares
//	Markers       what stands in place of pruned content
//	Messages      what pictx puts into the conversation itself
//	Fetches       getting pruned text back: the requests, their output, and the text
//	              that they leave in the conversation
//	Summaries     the requests of compaction, input and output
//
// Requests on branches that the user left are in the bill of a session like all others.
//
// Costs are in plain input tokens of the model: a token read from the cache costs its
// share of one, a token of output several. The output of the agent's own requests is
// the same on both sides and is left out.
//
// # What is modelled
//
// Costs follow a model of the provider's prompt cache (token.Cache), because plain pi's
// side was never sent. Fetches are a second model wherever the session is a recording
// that was made without pruning: a text that a later call needed and that was pruned
// counts as fetched once, by one more request. What a model would really have asked
// for is not known.
//
// What plain pi would have sent for a summary is an estimate, too. What was sent is what
// the session says of it; where it says nothing, and in replay, it is estimated. A
// compaction that the agent did by itself costs the same on both sides. A summary that no
// compaction of the session paid for, such as one of pictx compact, is billed by its size.
//
// # What is not credited
//
// Compactions happen on both sides where they happened in the session, each priced as that
// side sends it. A smaller context compacts later or never; that saving is not part
// of any figure. Nor is text that pi kept over a compaction only because pruned messages
// left room for it: plain pi is billed for the newest messages that fill the same room.
//
// The package must not know sessions, policies or how a figure is shown.
package bill
