package secret

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Own is the kind of what an expression of the user matches.
const Own = "redact.patterns"

// privateKey is the kind of what no expression bounds: it goes up to its end, or to that
// of what can be part of it.
const (
	privateKey     = "private key"
	privateKeyHead = "-----BEGIN"
)

// Found is a key in a text.
type Found struct {
	// Kind is its format, as in "github pat", or Own.
	Kind string
	// From and To are its place in bytes.
	From, To int
}

// rule is the format of a key.
type rule struct {
	name string
	// heads are the texts of which one begins every key, of at least headBytes.
	heads []string
	// expr matches a key from its head on.
	expr string
	// word is set when no letter, digit or underscore may stand before a key.
	word bool
	// entropy is the least entropy of a key, in bits per character: what is less random
	// is an example.
	entropy float64
}

// headBytes is how much of a head is looked up at every byte of a text.
const headBytes = 3

// Finder finds keys. Several goroutines may use one.
type Finder struct {
	patterns []*regexp.Regexp
	literals []string // what every match of a pattern begins with in JSON, "" when that is not known
	first    [1 << 10]uint64
	heads    map[uint16][]head // by the hash of their first bytes, for which first has a bit
	known    func(rule int) *regexp.Regexp
	begin    *regexp.Regexp // of a private key
	end      *regexp.Regexp
	lines    *regexp.Regexp
}

// head is one of the heads of a rule, which is -1 for private keys.
type head struct {
	text string
	rule int
}

// New returns a finder of what the patterns match and, when known is set, of keys of
// known formats. It is nil when there is nothing to find. An invalid pattern is an error.
func New(patterns []string, known bool) (*Finder, error) {
	if len(patterns) == 0 && !known {
		return nil, nil
	}
	f := &Finder{heads: make(map[uint16][]head)}
	for _, p := range patterns {
		re, err := Compile(p)
		if err != nil {
			return nil, err
		}
		f.patterns, f.literals = append(f.patterns, re), append(f.literals, plainPrefix(re))
	}
	if known {
		f.learn()
	}
	return f, nil
}

// Compile compiles a pattern. One that matches the empty text, and so everything, is an
// error.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("read pattern %q: %w", pattern, err)
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("read pattern %q: it matches the empty text, and so everything", pattern)
	}
	return re, nil
}

// plainPrefix is what every match begins with, "" where JSON may write it otherwise.
func plainPrefix(re *regexp.Regexp) string {
	literal, _ := re.LiteralPrefix()
	for i := range len(literal) {
		if c := literal[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\/<>&`, c) >= 0 {
			return ""
		}
	}
	return literal
}

// learn takes the known formats up. Their expressions are compiled when they are needed,
// which most never are.
func (f *Finder) learn() {
	compiled := make([]func() *regexp.Regexp, len(knownRules))
	f.add(head{privateKeyHead, -1})
	for i, r := range knownRules {
		compiled[i] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + r.expr + ")") })
		for _, text := range r.heads {
			f.add(head{text, i})
		}
	}
	f.known = func(rule int) *regexp.Regexp { return compiled[rule]() }
	f.begin = regexp.MustCompile(`^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	f.end = regexp.MustCompile(`-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	f.lines = regexp.MustCompile(`^(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,})*`)
}

func (f *Finder) add(h head) {
	var n uint16
	for i := range headBytes {
		n = roll(n, h.text[i])
	}
	f.first[n/64] |= 1 << (n % 64)
	f.heads[n] = append(f.heads[n], h)
}

// roll adds a byte to the hash of the last headBytes bytes: the one before them has been
// shifted out.
func roll(n uint16, c byte) uint16 { return n<<6 ^ uint16(c) }

// Suspect reports whether a line of JSON may hold a key. Most do not, and this is one
// look at every byte.
func (f *Finder) Suspect(line []byte) bool {
	for _, l := range f.literals {
		if l == "" || bytes.Contains(line, []byte(l)) {
			return true
		}
	}
	if len(f.heads) == 0 {
		return false
	}
	var n uint16
	for i, c := range line {
		n = roll(n, c)
		if f.first[n/64]>>(n%64)&1 == 0 || i < headBytes-1 {
			continue
		}
		rest := line[i-headBytes+1:]
		for _, h := range f.heads[n] {
			if bytes.HasPrefix(rest, []byte(h.text)) && (h.rule < 0 || f.known(h.rule).Match(rest)) {
				return true
			}
		}
	}
	return false
}

// Find lists the keys of a text, in order. None overlaps another.
func (f *Finder) Find(text string) []Found {
	var all []Found
	for _, re := range f.patterns {
		for _, at := range re.FindAllStringIndex(text, -1) {
			all = append(all, Found{Own, at[0], at[1]})
		}
	}
	if len(f.heads) > 0 {
		all = f.findKnown(text, all)
	}
	slices.SortStableFunc(all, func(a, b Found) int { return cmp.Compare(a.From, b.From) })
	out := all[:0]
	for _, k := range all {
		if n := len(out); n > 0 && k.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, k.To)
		} else {
			out = append(out, k)
		}
	}
	return out
}

// FindAllStringIndex returns the places of the keys of a text as a regular expression
// does those of its matches, at most n unless n is negative.
func (f *Finder) FindAllStringIndex(text string, n int) [][]int {
	var out [][]int
	for _, k := range f.Find(text) {
		if n >= 0 && len(out) == n {
			break
		}
		out = append(out, []int{k.From, k.To})
	}
	return out
}

// findKnown adds the keys of known formats. After a key it goes on behind it.
func (f *Finder) findKnown(text string, all []Found) []Found {
	endless := false // no private key ends in what is left
	for i := 0; i+headBytes <= len(text); i++ {
		n := roll(roll(roll(0, text[i]), text[i+1]), text[i+2])
		if f.first[n/64]>>(n%64)&1 == 0 {
			continue
		}
		for _, h := range f.heads[n] {
			if !strings.HasPrefix(text[i:], h.text) {
				continue
			}
			kind, size := privateKey, 0
			if h.rule < 0 {
				size = f.privateKey(text[i:], &endless)
			} else {
				kind, size = knownRules[h.rule].name, f.key(h.rule, text, i)
			}
			if size > 0 {
				all = append(all, Found{kind, i, i + size})
				i += size - 1
				break
			}
		}
	}
	return all
}

// key is the size of the key of a format that begins at a place, 0 for none.
func (f *Finder) key(rule int, text string, at int) int {
	r := knownRules[rule]
	if r.word && at > 0 && isWord(text[at-1]) {
		return 0
	}
	m := f.known(rule).FindStringIndex(text[at:])
	if m == nil || entropy(text[at:at+m[1]]) < r.entropy {
		return 0
	}
	return m[1]
}

// privateKey is the size of the private key that a text begins with, 0 for none. One
// that was cut goes as far as its lines do.
func (f *Finder) privateKey(text string, endless *bool) int {
	m := f.begin.FindStringIndex(text)
	if m == nil {
		return 0
	}
	if !*endless {
		if end := f.end.FindStringIndex(text); end != nil {
			return end[1]
		}
		*endless = true
	}
	return m[1] + len(f.lines.FindString(text[m[1]:]))
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// entropy is how random a text is, in bits per byte, by how often it has each byte.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
