package usage

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// Part is a kind of content in a context.
type Part int

// The parts, in the order in which a context begins with them.
const (
	System    Part = iota // the system prompt, and definitions of tools that are not pictx's
	Own                   // what pictx declares
	Summaries             // summaries of compacted messages and abandoned branches
	Talk                  // prompts, answers, thinking, messages of extensions
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

// Cause is why the provider's cache held less than it might have.
type Cause string

// The causes.
const (
	Held        Cause = ""                   // no miss
	Switched    Cause = "another model"      // which has a cache of its own
	Compacted   Cause = "compaction"         // a summary replaced messages
	Paused      Cause = "pause"              // longer than CacheTime
	Rewritten   Cause = "pruning"            // a message before the end was changed
	Unexplained Cause = "cause not recorded" // the provider lost it, or the system prompt changed
)

// Causes are the causes of a miss.
func Causes() []Cause { return []Cause{Rewritten, Compacted, Paused, Switched, Unexplained} }

// CacheTime is the longest pause between requests, in milliseconds, that does not explain a
// miss: Anthropic caches prompts for five minutes.
const CacheTime = 5 * 60 * 1000

// Pruned are results that were pruned.
type Pruned struct {
	Results int
	Tokens  token.Count // how much smaller their markers are
}

func (p *Pruned) add(o Pruned) {
	p.Results, p.Tokens = p.Results+o.Results, p.Tokens+o.Tokens
}

func (p *Pruned) subtract(o Pruned) { p.add(Pruned{-o.Results, -o.Tokens}) }

// Request is an answered request.
type Request struct {
	// Response is what was billed. Its Usage is zero when the provider did not report it.
	Response Response
	// Sent is what the request consisted of. Its sum is what the provider counted, else an
	// estimate.
	Sent Sizes
	// Start is how it relates to the previous request.
	Start session.Start
	// Cause is why tokens were paid for again that the previous request had left in the
	// cache, Lost their number.
	Cause Cause
	Lost  token.Count
	// Pruned is what was pruned since the previous request; Again are those of them that had
	// been pruned before, on another branch or until they were restored.
	Pruned, Again Pruned
	// Restored are those of Pruned that are back in the context since.
	Restored Pruned
	// Saved is how many dollars less it cost than with plain pi.
	Saved float64
	// Dropped names the blocks of thinking that the provider left out of the request.
	Dropped []string
	// Shared is set when a session that began earlier has the request too.
	Shared bool
}

// Session is the course of a session.
type Session struct {
	// ID, Title and CWD identify it to a person; Started is in Unix milliseconds. Read
	// leaves Title empty for its caller.
	ID, Title, CWD string
	Started        int64
	Requests       []Request
	// Unsent is what was pruned since the last request for the first time, and not restored.
	Unsent Pruned
	// Total is what the requests were billed.
	Total Total
	// Bill prices all requests as package bill does, Saved is what that saves in dollars.
	Bill  bill.Total
	Saved float64
}

// Dropped is the number of blocks of thinking that providers left out because what stood
// before them had changed. They report a block again with every request that carries it.
func (s *Session) Dropped() int {
	seen := make(map[string]bool)
	for i := range s.Requests {
		for _, block := range s.Requests[i].Dropped {
			seen[block] = true
		}
	}
	return len(seen)
}

// Compactions returns the number of compactions.
func (s *Session) Compactions() int {
	n := 0
	for i := range s.Requests {
		if s.Requests[i].Start == session.AfterCompaction {
			n++
		}
	}
	return n
}

// Pruned returns what was pruned in the session. What was pruned several times counts once,
// what was restored does not count.
func (s *Session) Pruned() Pruned {
	sum := s.Unsent
	for i := range s.Requests {
		q := &s.Requests[i]
		sum.add(q.Pruned)
		sum.subtract(q.Again)
		sum.subtract(q.Restored)
	}
	return sum
}

// Peak returns the size of the largest request.
func (s *Session) Peak() token.Count {
	var peak token.Count
	for i := range s.Requests {
		peak = max(peak, s.Requests[i].Sent.Sum())
	}
	return peak
}
