package history

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// Runs are runs of ASCII letters and digits in lower case. Every match of an expression has
// at least one of them, in any case. Without runs nothing is known of a match.
type Runs []string

// minRun is the length of a run that most texts lack.
const minRun = 3

// RunsOf returns the runs of a regular expression, nil if it has none or if f is another
// kind of Finder. Example: (foo|bar)-[0-9]+ has the runs foo and bar.
func RunsOf(f Finder) Runs {
	re, ok := f.(*regexp.Regexp)
	if !ok {
		return nil
	}
	var best Runs
	for _, group := range needOfRegex(re.String()) {
		if runs := runsIn(group); runs != nil && (best == nil || shortest(runs) > shortest(best)) {
			best = runs
		}
	}
	return best
}

// runsIn returns the longest run of each string, nil if one has no usable run.
func runsIn(group []string) Runs {
	var out Runs
	for _, s := range group {
		longest := ""
		for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !isPlain(r) }) {
			if run = strings.ToLower(run); len(run) > len(longest) && plainRun(run) {
				longest = run
			}
		}
		if len(longest) < minRun {
			return nil
		}
		out = append(out, longest)
	}
	return out
}

func isPlain(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// RuleOut reports whether nothing in a text matches or, if it is a line of a session or
// other JSON, nothing in its strings and in the text of the entry. A run is the same in JSON
// as in the string unless it is escaped by number, and in a text as in its match unless the
// text has one of the two characters that equal an ASCII letter when case is ignored.
func (rs Runs) RuleOut(text []byte) bool {
	if len(rs) == 0 {
		return false
	}
	for _, defeats := range []string{`\u`, "\u017f", "\u212a"} {
		if bytes.Contains(text, []byte(defeats)) {
			return false
		}
	}
	return !slices.ContainsFunc(rs, func(run string) bool { return !lacks(text, []byte(run), anyText) })
}
