// Package glob matches paths against patterns from projects and models, which are not
// trusted. Patterns are expanded when they are compiled, and a pattern with too many
// alternatives is rejected, so that the cost is bounded by the lengths of pattern and path.
//
// It must not know which files exist or what a match means.
package glob

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// MaxLength is the maximum length of a pattern in bytes.
	MaxLength = 2048
	// MaxAlternatives is the maximum number of patterns that braces may expand to.
	MaxAlternatives = 256
)

// errTooMany is returned for a pattern with more than MaxAlternatives.
var errTooMany = fmt.Errorf("its braces stand for more than %d patterns", MaxAlternatives)

// Pattern is a compiled path pattern: * and ? match within a path element, ** matches any
// elements, [a-z] a character, {a,b} one of the alternatives. The zero value matches
// nothing.
type Pattern struct{ alternatives []string }

// Compile compiles a pattern. The error does not repeat the pattern.
func Compile(pattern string) (Pattern, error) {
	if len(pattern) > MaxLength {
		return Pattern{}, fmt.Errorf("it is longer than %d bytes", MaxLength)
	}
	if !doublestar.ValidatePattern(pattern) {
		return Pattern{}, errors.New("it is not a valid pattern")
	}
	all, err := expand(pattern)
	return Pattern{all}, err
}

// Match reports whether a slash-separated path matches.
func (p Pattern) Match(path string) bool {
	return slices.ContainsFunc(p.alternatives, func(a string) bool { return doublestar.MatchUnvalidated(a, path) })
}

// expand expands the braces of a valid pattern.
func expand(pattern string) ([]string, error) {
	todo, done := []string{pattern}, []string(nil)
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open := brace(p, 0)
		if open < 0 {
			done = append(done, p)
		} else {
			parts, end := alternatives(p, open)
			for _, part := range slices.Backward(parts) {
				todo = append(todo, p[:open]+part+p[end:])
			}
		}
		if len(todo)+len(done) > MaxAlternatives {
			return nil, errTooMany
		}
	}
	return done, nil
}

// brace returns the index of the first { from i on that is neither escaped nor in a class,
// -1 for none.
func brace(p string, i int) int {
	for ; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(p, i)
		case '{':
			return i
		}
	}
	return -1
}

// classEnd returns the index of the ] that ends the class beginning at i.
func classEnd(p string, i int) int {
	for i++; i < len(p) && p[i] != ']'; i++ {
		if p[i] == '\\' {
			i++
		}
	}
	return i
}

// alternatives splits the brace expression that opens at i, and returns the index after it.
func alternatives(p string, i int) (parts []string, end int) {
	depth, from := 0, i+1
	for ; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(p, i)
		case '{':
			depth++
		case ',':
			if depth == 1 {
				parts, from = append(parts, p[from:i]), i+1
			}
		case '}':
			if depth--; depth == 0 {
				return append(parts, p[from:i]), i + 1
			}
		}
	}
	return append(parts, p[min(from, len(p)):]), len(p)
}
