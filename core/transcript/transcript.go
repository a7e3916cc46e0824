// Package transcript is the branch of a session as a person reads it: prompts, answers
// with what the model thought, tool calls together with their results, commands,
// compactions and summaries in their places, and what was pruned of it, when and why.
//
// It turns messages into parts and says what each is; how they look is the business of
// whoever shows them. Texts are as the session has them: a reader must make hidden
// characters visible and escape them. The package must not know HTML, Markdown or
// colours, and it reads no files: lines come from the function it is given.
package transcript

import (
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
)

// Transcript is a branch of a session.
type Transcript struct {
	// Title is the name of the session, or the first line of its first prompt; "" for
	// neither.
	Title string
	Items []Item
	// Total is what the responses on this branch cost.
	Total usage.Total
	// Models are those that answered, in the order they first did.
	Models []string
	// Pruned is how many tokens of results were taken out of the context, by estimate.
	Pruned token.Count
}

// Kind is the kind of an Item.
type Kind string

// The kinds of items.
const (
	Prompt     Kind = "prompt"     // what the user wrote
	Answer     Kind = "answer"     // a response of the model
	Command    Kind = "command"    // a command that the user ran in the agent
	Orphan     Kind = "result"     // a result whose call is not on the branch
	Note       Kind = "note"       // what an extension put into the context
	Compaction Kind = "compaction" // the summary that took the place of what is before it
	Branch     Kind = "branch"     // the summary of a branch that was left
)

// Item is one entry on the way from the start of the session to its end.
type Item struct {
	Kind Kind
	ID   string
	Time int64 // Unix milliseconds, 0 when unknown
	// Name is the type of a note, the tool of an orphan, the command of a command.
	Name string
	// Text is Markdown: a prompt, a note or a summary. An answer has Parts instead.
	Text   string
	Images int
	Parts  []Part
	// Result is that of a command or an orphan.
	Result *Result
	// Response is what a provider billed for an answer, nil when it did not say.
	Response *usage.Response
	// Model is that of an answer; Failure says how it ended when it did not end well.
	Model, Failure string
	// Before is how many tokens the context had before a compaction, 0 when unknown.
	Before token.Count
}

// Part is a part of an answer: text, thinking, or a call.
type Part struct {
	Text     string // Markdown
	Thinking string
	Call     *Call // nil for text and thinking
}

// Call is a tool call and what came of it.
type Call struct {
	Tool string
	// Subject is what the call is about in a line: a path, a command, a pattern.
	Subject string
	// Input is what the model gave the tool beyond the subject, Text "" for nothing.
	Input Code
	// Result is nil when there was none.
	Result *Result
}

// Code is a text in a language.
type Code struct {
	// Language is a name like "go", "diff" or "json", or the extension of a file; ""
	// for plain text.
	Language, Text string
}

// Result is what a tool or a command returned.
type Result struct {
	ID      string
	Output  Code
	Images  int
	IsError bool
	// Pruned says that it was taken out of the context, nil when it was not.
	Pruned *Pruned
}

// Pruned is when and why a result was taken out of the context.
type Pruned struct {
	Time int64 // Unix milliseconds, 0 when unknown
	// Reason is the code of a pruning rule, "" when unknown.
	Reason string
	// Tokens is how large the result was, by estimate, 0 when unknown.
	Tokens token.Count
	// Marker is what the model reads in its place.
	Marker string
}
