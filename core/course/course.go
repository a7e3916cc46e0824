package course

import (
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
)

// Part is one kind of content in a context.
type Part int

// The parts, in the order in which a context begins with them.
const (
	System    Part = iota // the system prompt, and definitions of tools that are not pictx's
	Own                   // what pictx declares
	Summaries             // what stands for messages that were compacted or left
	Talk                  // prompts, answers and thinking, and what extensions say
	Reads                 // files that were read
	Commands              // commands and their output
	Tools                 // all other tools: edits, searches, questions
	parts
)

// Parts are all parts.
func Parts() []Part { return []Part{System, Own, Summaries, Talk, Reads, Commands, Tools} }

// String names a part for people.
func (p Part) String() string {
	return [...]string{"system prompt and tools", "tools of pictx", "summaries", "conversation", "files read", "commands", "other tools"}[p]
}

// Sizes are tokens by part.
type Sizes [parts]token.Count

// Sum is the size of all parts.
func (s *Sizes) Sum() token.Count {
	var sum token.Count
	for _, n := range s {
		sum += n
	}
	return sum
}

func (s *Sizes) add(o Sizes) {
	for i, n := range o {
		s[i] += n
	}
}

// Cause says why the provider's cache held less than it might have.
type Cause string

// The causes.
const (
	Held        Cause = ""                   // it held what it should
	Switched    Cause = "another model"      // which has a cache of its own
	Compacted   Cause = "compaction"         // a summary took the place of messages
	Paused      Cause = "pause"              // longer than CacheTime
	Rewritten   Cause = "pruning"            // a message before the end was changed
	Unexplained Cause = "cause not recorded" // the provider lost it, or the system prompt changed
)

// Causes are those of a cache that did not hold.
func Causes() []Cause { return []Cause{Rewritten, Compacted, Paused, Switched, Unexplained} }

// CacheTime is how long a request may follow the one before without the pause being what
// the cache was lost by, in milliseconds: Anthropic keeps prompts for five minutes.
const CacheTime = 5 * 60 * 1000

// Request is one request that was answered.
type Request struct {
	// Response is what was billed. Its Usage is zero when the provider did not say.
	Response usage.Response
	// Sent is what the request was made of. Its sum is what the provider counted, else an
	// estimate.
	Sent Sizes
	// Start says how it follows the request before.
	Start replay.Start
	// Cause is why tokens were paid for again that the request before had left in the
	// cache, and Lost is how many those are.
	Cause Cause
	Lost  token.Count
	// Pruned is how many results were taken out of the context since the request before,
	// and PrunedTokens is their size.
	Pruned       int
	PrunedTokens token.Count
	// Shared is set where a session that began earlier has the request too.
	Shared bool
}

// Session is the course of a session.
type Session struct {
	// ID, Title and CWD are how it is recognised; Started is in Unix milliseconds. Title is
	// that of whoever lists it: Read leaves it empty.
	ID, Title, CWD string
	Started        int64
	Requests       []Request
	// Total is what the requests were billed.
	Total usage.Total
}

// Compactions is how many there were.
func (s *Session) Compactions() int {
	n := 0
	for i := range s.Requests {
		if s.Requests[i].Start == replay.AfterCompaction {
			n++
		}
	}
	return n
}

// Pruned is how many results were pruned, and their size.
func (s *Session) Pruned() (results int, tokens token.Count) {
	for i := range s.Requests {
		results += s.Requests[i].Pruned
		tokens += s.Requests[i].PrunedTokens
	}
	return results, tokens
}

// Peak is the size of the largest request.
func (s *Session) Peak() token.Count {
	var peak token.Count
	for i := range s.Requests {
		peak = max(peak, s.Requests[i].Sent.Sum())
	}
	return peak
}
