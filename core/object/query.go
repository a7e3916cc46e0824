package object

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
)

// Query selects objects. All conditions must hold.
type Query struct {
	At    Time // 0 for now
	Terms []Term
}

// Term is one condition of a Query.
type Term struct {
	// Field is one of Fields, or "" for words.
	Field string
	Value string
	// Not negates the condition.
	Not bool
}

// The values of a status condition besides StatusOK and StatusFail.
const (
	statusDeleted = "deleted"
	statusPurged  = "purged"
)

// fields are the names of conditions in a query, with the values they take.
var fields = [][2]string{
	{"type", "file, toolcall, chat, session or system_prompt; several with commas"},
	{"path", "a glob; without a slash, of the file's name"},
	{"tool", "the name of a tool, or a glob"},
	{"status", "ok, fail, deleted or purged"},
	{"session", "the beginning of a session's id"},
	{"state", "active, inactive or absent, in the session"},
	{"nick", "a nickname, or a glob"},
	{"at", "what was known at a time"},
	{"size", "bytes of content, as >10k, <=2m or 0"},
}

// Fields returns the names of conditions in a query, with the values they take.
func Fields() [][2]string { return slices.Clone(fields) }

// ErrQuery is returned for an invalid query.
var ErrQuery = errors.New("the query cannot be understood")

// maxTerms bounds a query.
const maxTerms = 64

// ParseQuery parses a query: conditions like type:file or -tool:bash, and words or
// "phrases" that must be in the content or in the catalogue entry. Times are in the zone of
// now, and may be relative to it.
func ParseQuery(query string, now time.Time) (Query, error) {
	var q Query
	for rest := strings.TrimSpace(query); rest != ""; rest = strings.TrimSpace(rest) {
		if len(q.Terms) == maxTerms {
			return Query{}, fmt.Errorf("%w: it has more than %d conditions", ErrQuery, maxTerms)
		}
		t := Term{}
		rest, t.Not = strings.CutPrefix(rest, "-")
		var value string
		t.Field, value, rest = nextTerm(rest)
		if err := q.add(t, value, now); err != nil {
			return Query{}, fmt.Errorf("%w: %w", ErrQuery, err)
		}
	}
	return q, nil
}

// nextTerm splits the first term off a text without leading blanks.
func nextTerm(text string) (field, value, rest string) {
	letters := 0
	for letters < len(text) && (text[letters] >= 'a' && text[letters] <= 'z' || text[letters] == '_') {
		letters++
	}
	if letters > 0 && strings.HasPrefix(text[letters:], ":") && !strings.HasPrefix(text[letters+1:], "/") && !strings.HasPrefix(text[letters+1:], ":") || isField(text[:letters]) && strings.HasPrefix(text[letters:], ":") {
		field, text = text[:letters], text[letters+1:]
	}
	if after, quoted := strings.CutPrefix(text, `"`); quoted {
		value, rest, _ = strings.Cut(after, `"`)
		return field, value, rest
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	if end < 0 {
		end = len(text)
	}
	return field, text[:end], text[end:]
}

func isField(name string) bool {
	return slices.ContainsFunc(fields, func(f [2]string) bool { return f[0] == name })
}

// add adds a condition to a query.
func (q *Query) add(t Term, value string, now time.Time) error {
	t.Value = value
	switch {
	case t.Field == "" && value == "" && t.Not:
		return errors.New("nothing follows -")
	case t.Field == "" && len(history.Words(value)) == 0:
		return nil // punctuation matches every text
	case t.Field == "":
	case !isField(t.Field):
		return fmt.Errorf("unknown condition %q; to search for these words, quote them", t.Field+":")
	case value == "":
		return fmt.Errorf("%s: has no value", t.Field)
	case t.Field == "at":
		return q.time(t, now)
	}
	if err := t.check(); err != nil {
		return err
	}
	q.Terms = append(q.Terms, t)
	return nil
}

// time sets the time of a query.
func (q *Query) time(t Term, now time.Time) error {
	if t.Not || q.At != 0 {
		return fmt.Errorf("%s: may be given once, and not with -", t.Field)
	}
	var err error
	q.At, err = ParseTime(t.Value, now)
	return err
}

// check returns an error when the value of a condition is invalid.
func (t Term) check() error {
	switch t.Field {
	case "type":
		for k := range strings.SplitSeq(t.Value, ",") {
			if !Kind(k).Known() {
				return fmt.Errorf("unknown type %q", k)
			}
		}
	case "path", "tool", "nick":
		if !doublestar.ValidatePattern(t.Value) {
			return fmt.Errorf("invalid glob %s", t.Value)
		}
	case "status":
		if !slices.Contains([]string{string(StatusOK), string(StatusFail), statusDeleted, statusPurged}, t.Value) {
			return fmt.Errorf("unknown status %q", t.Value)
		}
	case fieldState:
		if !slices.Contains([]State{Active, Inactive, Absent}, State(t.Value)) {
			return fmt.Errorf("unknown state %q: want active, inactive or absent", t.Value)
		}
	case "size":
		if _, _, err := parseSize(t.Value); err != nil {
			return err
		}
	}
	return nil
}

// parseSize parses a comparison with a number of bytes: >10k, <=2m, 0.
func parseSize(text string) (op string, bytes int64, err error) {
	rest := strings.TrimLeft(text, "<>=")
	op = text[:len(text)-len(rest)]
	unit := int64(1)
	number := strings.ToLower(rest)
	for suffix, u := range map[string]int64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30} {
		if cut, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = cut, u
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 40)
	if err != nil || n < 0 || !slices.Contains([]string{"", "=", "<", ">", "<=", ">="}, op) {
		return "", 0, fmt.Errorf("invalid size %s: write >10k, <=2m or 0", text)
	}
	return op, n * unit, nil
}

// Kinds returns the kinds that a query admits, nil for all.
func (q *Query) Kinds() []Kind {
	var out []Kind
	for _, t := range q.Terms {
		if t.Field != "type" || t.Not {
			continue
		}
		var these []Kind
		for k := range strings.SplitSeq(t.Value, ",") {
			if out == nil || slices.Contains(out, Kind(k)) {
				these = append(these, Kind(k))
			}
		}
		if out = these; out == nil {
			return []Kind{}
		}
	}
	return out
}

// Words returns the conditions on words.
func (q *Query) Words() []Term {
	var out []Term
	for _, t := range q.Terms {
		if t.Field == "" {
			out = append(out, t)
		}
	}
	return out
}

// fieldState is the name of the condition on the state in a session.
const fieldState = "state"

// AsksState reports whether a query has a condition on the state in a session.
func (q *Query) AsksState() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field == fieldState })
}

// InState reports whether an object in a state meets the conditions on it.
func (q *Query) InState(s State) bool {
	return !slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field == fieldState && (t.Value == string(s)) == t.Not })
}

// Matches reports whether a version meets all conditions except those on words and on the
// state in a session.
func (q *Query) Matches(v *Version) bool {
	for _, t := range q.Terms {
		if t.Field != "" && t.Field != fieldState && t.holds(v) == t.Not {
			return false
		}
	}
	return true
}

// holds reports whether a condition holds, ignoring Not.
func (t Term) holds(v *Version) bool {
	d := &v.Doc
	switch t.Field {
	case "type":
		return slices.Contains(strings.Split(t.Value, ","), string(d.Kind))
	case "path":
		return d.Kind == KindFile && matchPath(t.Value, d.Label(v.Key))
	case "tool":
		return d.Toolcall != nil && glob(t.Value, d.Toolcall.Tool)
	case "status":
		return t.Value == Condition(v)
	case "session":
		return v.Key.Session() != "" && strings.HasPrefix(v.Key.Session(), t.Value)
	case "nick":
		return v.Nickname != "" && glob(strings.ToLower(t.Value), strings.ToLower(v.Nickname))
	case "size":
		return t.matchesSize(v.Size)
	}
	return false
}

func (t Term) matchesSize(size int64) bool {
	op, n, err := parseSize(t.Value)
	if err != nil || size < 0 {
		return false
	}
	switch op {
	case "<":
		return size < n
	case ">":
		return size > n
	case "<=":
		return size <= n
	case ">=":
		return size >= n
	}
	return size == n
}

// Condition returns the status of a version: deleted, purged, fail or ok.
func Condition(v *Version) string {
	switch {
	case v.Doc.Deleted:
		return statusDeleted
	case v.Purged:
		return statusPurged
	case v.Doc.Toolcall != nil:
		return string(v.Doc.Toolcall.Status)
	}
	return string(StatusOK)
}

func glob(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// matchPath matches a glob with a path: with its last element when the glob has no slash,
// with any trailing elements when the glob does not begin with one.
func matchPath(pattern, file string) bool {
	switch {
	case !strings.Contains(pattern, "/"):
		return glob(pattern, path.Base(file))
	case strings.HasPrefix(pattern, "/"):
		return glob(pattern, file)
	}
	return glob("/**/"+pattern, file)
}

// Phrase returns the consecutive folded words of a condition. prefix is set when the last
// one is a prefix.
func (t Term) Phrase() (words []string, prefix bool) {
	return history.Words(t.Value), strings.HasSuffix(t.Value, "*")
}

// Holds reports whether a text contains the words of a condition, ignoring Not.
func (t Term) Holds(text string) bool {
	words, prefix := t.Phrase()
	phrase := history.Phrase{Words: words, Prefix: prefix}
	return history.Expr{Phrases: []history.Phrase{phrase}}.Held(text) != 0
}

// InCatalogue reports whether the catalogue entry of a version contains the words of a
// condition.
func (t Term) InCatalogue(v *Version) bool {
	return t.Holds(v.Doc.Label(v.Key)) || t.Holds(v.Nickname)
}

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
