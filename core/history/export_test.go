package history

import "github.com/coctostan/pictx/core/message"

// Rejects reports whether a line is rejected unread for a query inside words, and whether
// its text holds it.
func Rejects(query string, raw []byte) (rejects, holds bool) {
	all, err := parseText(query)
	if err != nil {
		return false, false
	}
	ps := newPartMatcher(all, query)
	new(parsers).parse(raw, func(_ *message.Entry, text string) { holds = ps.held(text) != 0 })
	return ps.rejects(raw), holds
}

// RejectsRegex is Rejects for a regular expression that can be compiled.
func RejectsRegex(pattern string, raw []byte) (rejects, holds bool) {
	steps, err := plan(Query{Text: pattern, Regex: true})
	if err != nil {
		return false, false
	}
	new(parsers).parse(raw, func(_ *message.Entry, text string) { holds = steps[0].held(text) != 0 })
	m, ok := steps[0].matcher.(rejecter)
	return ok && m.rejects(raw), holds
}

// LoadBytes is what a load has in memory, about.
const LoadBytes = loadBytes

// Lacks reports whether a line holds a run of letters and digits nowhere.
func Lacks(raw, run string) bool { return lacks([]byte(raw), []byte(run), onlyASCII) }

// Looker returns a function that reads the text of a line as a search does, and returns its
// size. It keeps its parser: a pool may drop one at any time.
func Looker() func(raw []byte) int {
	var p lineParser
	return func(raw []byte) (size int) {
		p.read(raw, func(_ *message.Entry, text []byte) { size = len(text) })
		return size
	}
}
