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

// Own is the kind of matches of the user's patterns.
const Own = "redact.patterns"

// privateKey is the kind of private keys. No rule describes their length: a key extends to
// its end marker or, when that is missing, over all lines that can belong to it.
const (
	privateKey     = "private key"
	privateKeyHead = "-----BEGIN"
)

// Found is a key in a text.
type Found struct {
	// Kind is the format of the key, such as "github pat", or Own.
	Kind string
	// From and To are its byte offsets.
	From, To int
}

// rule describes a format of keys.
type rule struct {
	name string
	// heads are the possible beginnings of a key, each of at least headBytes.
	heads []string
	// expr matches a whole key, starting at its head.
	expr string
	// word is set when a key must not follow a letter, digit or underscore.
	word bool
	// entropy is the minimum entropy of a key in bits per byte. Anything less random is
	// taken for an example.
	entropy float64
}

// headBytes is the number of bytes of a head that the prefilter compares at every offset.
const headBytes = 3

// Finder finds keys. It is safe for concurrent use.
type Finder struct {
	patterns []*regexp.Regexp
	literals []string // by pattern, the literal that begins every match in JSON, "" when there is none
	first    [1 << 10]uint64
	heads    map[uint16][]head // by the hash of their first bytes; first is a bit set of these hashes
	known    func(rule int) *regexp.Regexp
	begin    *regexp.Regexp // matches the beginning of a private key
	end      *regexp.Regexp
	lines    *regexp.Regexp
}

// head is a head of a rule. The rule is -1 for private keys.
type head struct {
	text string
	rule int
}

// New returns a finder for the patterns and, with known set, for known formats. It is nil
// when there is nothing to find. An invalid pattern is an error.
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

// Compile compiles a pattern. A pattern that matches the empty text, and therefore
// everything, is an error.
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

// plainPrefix returns the literal prefix of every match, "" when JSON may escape it.
func plainPrefix(re *regexp.Regexp) string {
	literal, _ := re.LiteralPrefix()
	for i := range len(literal) {
		if c := literal[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\/<>&`, c) >= 0 {
			return ""
		}
	}
	return literal
}

// learn loads the known formats. Their expressions are compiled on first use; most are
// never used.
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

// roll adds a byte to the rolling hash of the last headBytes bytes. Older bytes have been
// shifted out.
func roll(n uint16, c byte) uint16 { return n<<6 ^ uint16(c) }

// Suspect reports whether a line of JSON may contain a key. It rules out most lines in a
// single pass over their bytes.
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

// Find returns the keys in a text, in order and without overlaps.
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

// FindAllStringIndex returns the offsets of the keys like the method of regexp.Regexp, at
// most n unless n is negative.
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

// findKnown appends the keys of known formats. They do not overlap.
func (f *Finder) findKnown(text string, all []Found) []Found {
	endless := false // no end marker follows: do not search for it again
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

// key returns the length of the key of a rule at an offset, 0 for none.
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

// privateKey returns the length of the private key at the beginning of text, 0 for none. A
// truncated key extends as far as its lines do.
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

// entropy returns the entropy of the byte distribution of a text, in bits per byte.
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
