package object

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
)

// Query selects versions of objects. All conditions must hold. The zero value selects every object
// as it is now.
type Query struct {
	// At is the time whose versions are selected, 0 for now.
	At Time
	// Kind and Session limit the objects to a kind, and to those that occur in a session.
	Kind    Kind
	Session string
	// Words are the conditions on contents, and on what a catalogue shows.
	Words []Word

	conditions []func(v *Version) bool
	states     []func(s State) bool
	asked      []string // the names of the conditions
}

// The conditions that are not on a version alone.
const (
	fieldAt    = "at"
	fieldState = "state"
)

// fields are the conditions in a query by their names, with what compiles their values.
var fields = map[string]func(value string) (func(v *Version) bool, error){
	"type": byType, "path": byPath, "tool": byTool, "status": byStatus, "session": bySession,
	"nick": byNickname, "size": bySize, fieldAt: nil, fieldState: nil,
}

// ErrQuery is returned for an invalid query.
var ErrQuery = errors.New("the query cannot be understood")

// ParseQuery parses a query: conditions like type:file or -tool:bash, and words or
// "phrases" that must be in the content or in the catalogue entry. Times are in the zone of
// now, and may be relative to it.
func ParseQuery(query string, now time.Time) (Query, error) {
	var q Query
	for rest := strings.TrimSpace(query); rest != ""; rest = strings.TrimSpace(rest) {
		var not bool
		var name, value string
		rest, not = strings.CutPrefix(rest, "-")
		name, value, rest = nextTerm(rest)
		if err := q.add(name, value, not, now); err != nil {
			return Query{}, fmt.Errorf("%w: %w", ErrQuery, err)
		}
	}
	return q, nil
}

// nextTerm splits the first term off a text without leading blanks. A word with a colon before a
// slash or another colon, as in http://x, is a word.
func nextTerm(text string) (name, value, rest string) {
	before, after, ok := strings.Cut(text, ":")
	if ok && before != "" && strings.Trim(before, "abcdefghijklmnopqrstuvwxyz_") == "" {
		if _, known := fields[before]; known || !strings.HasPrefix(after, "/") && !strings.HasPrefix(after, ":") {
			name, text = before, after
		}
	}
	if after, quoted := strings.CutPrefix(text, `"`); quoted {
		value, rest, _ = strings.Cut(after, `"`)
		return name, value, rest
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return name, text[:end], text[end:]
}

// add adds a condition to a query, or words where it has no name.
func (q *Query) add(name, value string, not bool, now time.Time) error {
	compile, known := fields[name]
	switch {
	case name == "":
		return q.addWords(value, not)
	case !known:
		return fmt.Errorf("unknown condition %q; to search for these words, quote them", name+":")
	case value == "":
		return fmt.Errorf("%s: has no value", name)
	}
	q.asked = append(q.asked, name)
	switch name {
	case fieldAt:
		return q.addTime(value, not, now)
	case fieldState:
		want := State(value)
		q.states = append(q.states, func(s State) bool { return (s == want) != not })
		return oneOf(name, value, string(Active), string(Inactive), string(Absent))
	}
	holds, err := compile(value)
	q.conditions = append(q.conditions, func(v *Version) bool { return holds(v) != not })
	if kind := Kind(value); name == "type" && !not && kind.Known() {
		q.Kind = kind
	}
	return err
}

// addWords adds a condition on words. Punctuation matches every text.
func (q *Query) addWords(value string, not bool) error {
	if value == "" && not {
		return errors.New("nothing follows -")
	}
	if words := history.Words(value); len(words) > 0 {
		q.Words = append(q.Words, Word{Phrase: history.Phrase{Words: words, Prefix: strings.HasSuffix(value, "*")}, Not: not})
	}
	return nil
}

// addTime sets the time of a query.
func (q *Query) addTime(value string, not bool, now time.Time) (err error) {
	if not || q.At != 0 {
		return errors.New("at: may be given once, and not with -")
	}
	q.At, err = ParseTime(value, now)
	return err
}

// Asks reports whether a query has the condition with a name.
func (q *Query) Asks(name string) bool { return slices.Contains(q.asked, name) }

// Matches reports whether a version meets all conditions except those on words and on the
// state in a session.
func (q *Query) Matches(v *Version) bool {
	return !slices.ContainsFunc(q.conditions, func(holds func(*Version) bool) bool { return !holds(v) })
}

// InState reports whether an object in a state meets the conditions on it.
func (q *Query) InState(s State) bool {
	return !slices.ContainsFunc(q.states, func(holds func(State) bool) bool { return !holds(s) })
}

func byType(value string) (func(v *Version) bool, error) {
	kinds := strings.Split(value, ",")
	for _, k := range kinds {
		if !Kind(k).Known() {
			return nil, fmt.Errorf("unknown type %q", k)
		}
	}
	return func(v *Version) bool { return slices.Contains(kinds, string(v.Doc.Kind)) }, nil
}

// byPath matches a glob with a path, or with any trailing elements of one when the glob does not
// begin with a slash.
func byPath(pattern string) (func(v *Version) bool, error) {
	if !strings.HasPrefix(pattern, "/") {
		pattern = "**/" + pattern
	}
	return byGlob(pattern, func(v *Version) string {
		if v.Doc.Kind != KindFile {
			return ""
		}
		return v.Label()
	})
}

func byTool(pattern string) (func(v *Version) bool, error) {
	return byGlob(pattern, func(v *Version) string {
		if v.Doc.Toolcall == nil {
			return ""
		}
		return v.Doc.Toolcall.Tool
	})
}

func byNickname(pattern string) (func(v *Version) bool, error) {
	return byGlob(strings.ToLower(pattern), func(v *Version) string { return strings.ToLower(v.Nickname) })
}

// byGlob matches a glob with a name of a version, which may be "" for none.
func byGlob(pattern string, name func(v *Version) string) (func(v *Version) bool, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("invalid glob %s", pattern)
	}
	return func(v *Version) bool {
		n := name(v)
		return n != "" && doublestar.MatchUnvalidated(pattern, n)
	}, nil
}

func byStatus(value string) (func(v *Version) bool, error) {
	return func(v *Version) bool { return v.Condition() == value },
		oneOf("status", value, string(StatusOK), string(StatusFail), statusDeleted, statusPurged)
}

func bySession(prefix string) (func(v *Version) bool, error) {
	return func(v *Version) bool { return v.Key.Session() != "" && strings.HasPrefix(v.Key.Session(), prefix) }, nil
}

// bySize compares the size of the content with a number of bytes: >10k, <=2m, 0.
func bySize(value string) (func(v *Version) bool, error) {
	number := strings.TrimLeft(value, "<>=")
	op, unit := value[:len(value)-len(number)], int64(1)
	number = strings.ToLower(number)
	if i := strings.IndexAny(number, "kmg"); i >= 0 && i == len(number)-1 {
		unit <<= 10 * (1 + strings.IndexByte("kmg", number[i]))
		number = number[:i]
	}
	n, err := strconv.ParseInt(number, 10, 40)
	if err != nil || n < 0 || !slices.Contains([]string{"", "=", "<", ">", "<=", ">="}, op) {
		return nil, fmt.Errorf("invalid size %s: write >10k, <=2m or 0", value)
	}
	n *= unit
	return func(v *Version) bool {
		return v.Size >= 0 && (v.Size == n && op != "<" && op != ">" ||
			v.Size < n && strings.HasPrefix(op, "<") || v.Size > n && strings.HasPrefix(op, ">"))
	}, nil
}

// oneOf returns an error for a value that a condition does not take.
func oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	last := len(allowed) - 1
	return fmt.Errorf("unknown %s %q: want %s or %s", name, value, strings.Join(allowed[:last], ", "), allowed[last])
}

// Word is a condition on words: a text has them in this order.
type Word struct {
	history.Phrase
	Not bool
}

// Holds reports whether a text contains the words, ignoring Not.
func (w Word) Holds(text string) bool {
	return history.Expr{Phrases: []history.Phrase{w.Phrase}}.Held(text) != 0
}

// InCatalogue reports whether the catalogue entry of a version contains the words.
func (w Word) InCatalogue(v *Version) bool { return w.Holds(v.Label()) || w.Holds(v.Nickname) }

// ParseTime parses a time as people write it. One without a fraction of a second means the end
// of that second, so that the printed time of a version selects the version.
func ParseTime(s string, now time.Time) (Time, error) {
	ms, ok := text.Moment(s, now)
	switch {
	case !ok || ms < 0:
		return 0, fmt.Errorf("invalid time %s: write 2026-11-20T14:00, 2026-11-20 or 2h for two hours ago", s)
	case ms%1000 == 0:
		ms += 999
	}
	return Time(ms*1000 + 999), nil
}
