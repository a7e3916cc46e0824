// Package transcript turns the branch of a session into what a person reads: prompts,
// answers with thinking, tool calls with their results, commands, compactions and summaries
// in place, and when and why something was pruned. Start reading at Read and Transcript.
//
// It converts messages to typed parts; how they look is up to whoever shows them. Texts are
// as the session has them: a renderer must make hidden characters visible and escape them.
// The package must not know HTML, Markdown or colours, and reads no files.
package transcript

import (
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
)

// Transcript is a branch of a session.
type Transcript struct {
	// Title is the name of the session, or the first line of its first prompt; "" without
	// either.
	Title string
	Items []Item
	// Total is what the responses on this branch cost.
	Total usage.Total
	// Models are the models that answered, in order of their first answer.
	Models []string
	// Pruned is the estimated size in tokens of all pruned results.
	Pruned token.Count
}

// Kind is the kind of an Item.
type Kind string

// The kinds of items.
const (
	Prompt     Kind = "prompt"     // a message of the user
	Answer     Kind = "answer"     // a response of the model
	Command    Kind = "command"    // a command that the user ran in the agent
	Orphan     Kind = "result"     // a result whose call is not on the branch
	Note       Kind = "note"       // a message of an extension
	Compaction Kind = "compaction" // the summary that replaces what precedes it
	Branch     Kind = "branch"     // the summary of an abandoned branch
)

// Item is one entry of the branch.
type Item struct {
	Kind Kind
	ID   string
	Time int64 // Unix milliseconds, 0 when unknown
	// Name is the type of a note, the tool of an orphan, or the command of a command.
	Name string
	// Text is Markdown: a prompt, a note or a summary. An answer has Parts instead.
	Text   string
	Images int
	Parts  []Part
	// Result is set for a command and an orphan.
	Result *Result
	// Response is what the provider billed for an answer, nil when unknown.
	Response *usage.Response
	// Model is set for an answer; Failure says how it ended unless it succeeded.
	Model, Failure string
	// Before is the size of the context before a compaction in tokens, 0 when unknown.
	Before token.Count
}

// Part is a part of an answer: text, thinking, or a call.
type Part struct {
	Text     string // Markdown
	Thinking string
	Call     *Call // nil for text and thinking
}

// Call is a tool call with its result.
type Call struct {
	Tool string
	// Subject is the main argument of the call, on one line: a path, a command, a pattern.
	Subject string
	// Input is the rest of the arguments; its Text is "" for none.
	Input Code
	// Result is nil without one.
	Result *Result
}

// Code is a text in a language.
type Code struct {
	// Language is a name like "go", "diff" or "json", or the extension of a file; "" for
	// plain text.
	Language, Text string
}

// Result is what a tool or a command returned.
type Result struct {
	ID      string
	Output  Code
	Images  int
	IsError bool
	// Pruned is set when the result was pruned.
	Pruned *Pruned
}

// Pruned is when and why a result was pruned.
type Pruned struct {
	Time int64 // Unix milliseconds, 0 when unknown
	// Reason is the code of a pruning rule, "" when unknown.
	Reason string
	// Tokens is the estimated size of the result, 0 when unknown.
	Tokens token.Count
	// Marker is what the model reads instead.
	Marker string
}
