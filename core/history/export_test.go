package history

// NeedOfRegex is what the index of triples is asked for a regular expression.
func NeedOfRegex(pattern string) Need { return needOfRegex(pattern) }

// Rejects reports whether a line is rejected unread for a query inside words, and whether
// its text holds it.
func Rejects(query string, raw []byte) (rejects, holds bool) {
	all, err := parseText(query)
	if err != nil {
		return false, false
	}
	ps := newPartMatcher(all, query)
	return ps.rejects(raw), ps.held(new(parsers).text(raw)) != 0
}

// LoadBytes is what a load has in memory, about.
const LoadBytes = loadBytes

// Lacks reports whether a line holds a run of letters and digits nowhere.
func Lacks(raw, run string) bool { return lacks([]byte(raw), []byte(run), onlyASCII) }
