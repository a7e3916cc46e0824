package history

import (
	"bytes"
	"regexp"
)

// Regex matches by a regular expression. Most texts that do not match it dismisses faster than
// the expression does.
type Regex struct {
	*regexp.Regexp
	quick *automaton // nil without one
	plain bool       // whether quick can tell by a line, too
}

// NewRegex compiles an expression as CompileRegex does.
func NewRegex(pattern string, caseSensitive bool) (*Regex, error) {
	re, err := CompileRegex(pattern, caseSensitive)
	if err != nil {
		return nil, err
	}
	return RegexOf(re), nil
}

// RegexOf returns a Finder as a Regex, nil if it is not a regular expression.
func RegexOf(f Finder) *Regex {
	re, ok := f.(*regexp.Regexp)
	if !ok {
		return nil
	}
	quick := newAutomaton(re)
	return &Regex{Regexp: re, quick: quick, plain: apart(quick)}
}

// Rejects reports whether nothing in the strings of a line nor in the text of its entry matches,
// without parsing the line. False means that something may. A nil Regex rejects nothing.
func (re *Regex) Rejects(line []byte) bool {
	return re != nil && re.plain && !re.quick.admitsJSON(line) && !oddArguments(line)
}

// apart reports whether every match in the text of an entry is in one of its strings or in
// the arguments of a call, which its line has too, rather than in the labels and line breaks
// between these. Those of message.Entry.AppendText are [name] and a blank, $ and a blank,
// [image], and [tool: name({arguments})]: a blank in them begins a match or follows ], $ or :.
func apart(a *automaton) bool {
	return a != nil && !a.takes("[]\n{") && !a.endsWith("$:()") && (!a.takes(" ") || !a.beginsWith(" ") && !a.takes("$:"))
}

// oddArguments reports whether a line may have a call with arguments that are not an object.
func oddArguments(raw []byte) bool {
	const name = `"arguments"`
	return bytes.Count(raw, []byte(name)) != bytes.Count(raw, []byte(name+":{"))
}

// Dismisses reports whether a text certainly does not match. A nil Regex dismisses nothing.
func (re *Regex) Dismisses(text []byte) bool {
	return re != nil && re.quick != nil && !re.quick.admits(text)
}

// Held implements Matcher.
func (re *Regex) Held(text string) uint64 {
	if re.MatchString(text) {
		return 1
	}
	return 0
}

// Place implements Matcher.
func (re *Regex) Place(text string, _ int) (start, end int) {
	m := re.FindStringIndex(text)
	if m == nil {
		return 0, 0
	}
	return m[0], m[1]
}
