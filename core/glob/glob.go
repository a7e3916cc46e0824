// Package glob matches paths against patterns that a project or a model wrote, in
// work that the length of both bounds: a pattern is taken apart when it is read,
// and one that stands for too many others is refused.
//
// It must not know which files there are, nor what a match means.
package glob

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// MaxLength is how long a pattern may be, in bytes.
	MaxLength = 2048
	// MaxAlternatives is how many patterns one with braces may stand for.
	MaxAlternatives = 256
)

// errTooMany refuses a pattern that stands for more than MaxAlternatives.
var errTooMany = fmt.Errorf("its braces stand for more than %d patterns", MaxAlternatives)

// Pattern is a pattern of paths: * and ? within a part of a path, ** for any parts,
// [a-z] for one character, {a,b} for either. The zero value matches nothing.
type Pattern struct{ alternatives []string }

// Compile reads a pattern. The error says what is wrong with it, and does not
// repeat it.
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

// Match reports whether a path with slashes matches.
func (p Pattern) Match(path string) bool {
	return slices.ContainsFunc(p.alternatives, func(a string) bool { return doublestar.MatchUnvalidated(a, path) })
}

// expand lists the patterns without braces that a valid pattern stands for.
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

// brace returns the index of the first { from i on that is not escaped or in a
// class, -1 without one.
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

// classEnd returns the index of the ] that ends the class which begins at i.
func classEnd(p string, i int) int {
	for i++; i < len(p) && p[i] != ']'; i++ {
		if p[i] == '\\' {
			i++
		}
	}
	return i
}

// alternatives cuts what stands in the braces that open at i, and returns the index
// behind them.
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
