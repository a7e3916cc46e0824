package history

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/core/text"
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
	for _, group := range trigram.NeedOfRegex(re.String()) {
		if runs := runsIn(group); runs != nil && (best == nil || shortest(runs) > shortest(best)) {
			best = runs
		}
	}
	return best
}

// Needs are runs of an expression, from each of which every match has at least one. Without
// any nothing is known of a match.
type Needs []Runs

// NeedsOf returns the needs of a regular expression, the one that most texts lack first. They
// are empty if RunsOf returns nil. Example: (foo|bar)-baz+ qux needs foo or bar, baz, and qux.
func NeedsOf(f Finder) Needs {
	best := RunsOf(f)
	if best == nil {
		return nil
	}
	out := Needs{best}
	add := func(runs Runs) {
		if runs != nil && !slices.ContainsFunc(out, func(n Runs) bool { return slices.Equal(n, runs) }) {
			out = append(out, runs)
		}
	}
	for _, group := range trigram.NeedOfRegex(f.(*regexp.Regexp).String()) {
		if len(group) > 1 {
			add(runsIn(group))
			continue
		}
		for _, run := range usableRuns(group[0]) {
			add(Runs{run})
		}
	}
	return out
}

// NeedsOfWords returns the needs of a text that has all words of some phrases in some form: what
// a word has in common with its stem.
func NeedsOfWords(phrases []Phrase) (out Needs) {
	for _, p := range phrases {
		for _, w := range p.Words {
			stem := text.Porter(w)
			for !strings.HasPrefix(w, stem) {
				stem = stem[:len(stem)-1]
			}
			if plainRun(stem) {
				out = append(out, Runs{stem})
			}
		}
	}
	return out
}

// RuleOut is that of Runs for all needs: a text without any run of one of them is ruled out.
func (ns Needs) RuleOut(body []byte) bool {
	return len(ns) > 0 && !defeated(body) && slices.ContainsFunc(ns, func(rs Runs) bool { return rs.lackedBy(body) })
}

// longest returns the longest string.
func longest(list []string) string {
	return slices.MaxFunc(list, func(a, b string) int { return len(a) - len(b) })
}

// shortest returns the length of the shortest string.
func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}

// runsIn returns the longest run of each string, nil if one has no usable run.
func runsIn(group []string) Runs {
	var out Runs
	for _, s := range group {
		runs := usableRuns(s)
		if len(runs) == 0 {
			return nil
		}
		out = append(out, longest(runs))
	}
	return out
}

// usableRuns returns the runs of a string that are long enough and not part of a label.
func usableRuns(s string) (out []string) {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !isPlain(r) }) {
		if run = strings.ToLower(run); len(run) >= minRun && plainRun(run) {
			out = append(out, run)
		}
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
	return len(rs) > 0 && !defeated(text) && rs.lackedBy(text)
}

// defeated reports whether a text may have a run in a form that lackedBy does not recognize.
func defeated(text []byte) bool {
	return slices.ContainsFunc([]string{`\u`, "\u017f", "\u212a"}, func(s string) bool { return bytes.Contains(text, []byte(s)) })
}

// lackedBy reports whether a text has none of the runs.
func (rs Runs) lackedBy(text []byte) bool {
	return !slices.ContainsFunc(rs, func(run string) bool { return !lacks(text, []byte(run)) })
}

// lacks reports whether a text does not contain a run of letters and digits in any case. It
// lowers the text in pieces that fit the processor's cache.
func lacks(raw, run []byte) bool {
	var small [2048]byte
	for len(run) < len(small)/2 {
		n := copy(small[:], raw)
		for i, c := range small[:n] {
			if 'A' <= c && c <= 'Z' {
				small[i] = c + 'a' - 'A'
			}
		}
		if bytes.Contains(small[:n], run) {
			return false
		}
		if n == len(raw) {
			return true
		}
		raw = raw[n-len(run)+1:]
	}
	return false
}

// plainRun reports whether a folded string is a run of ASCII letters and digits, and not
// part of a label that a text has but its line lacks.
func plainRun(s string) bool {
	const labels = "tool image" // of AppendText
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && !strings.Contains(labels, s)
}
