package glob_test

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/glob"
)

func TestPatternsMatchAsDoublestarDoes(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"*.ts", "**/*.ts", "src/{a,b}/*.{ts,tsx}", "{a,{b,c}}/d", `\{a,b\}`, "[{]a", "a{,b}c", "src/**", "{src,test}/**/x?.[jt]s", "a/{b/**,c}/d",
	} {
		p, err := glob.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		for _, path := range []string{"a.ts", "src/a/b.ts", "src/b/c.tsx", "a/d", "b/d", "c/d", "{a,b}", "{a", "abc", "ac", "src", "src/x", "test/a/x1.js", "a/b/x/d", "a/c/d", ""} {
			if want := doublestar.MatchUnvalidated(pattern, path); p.Match(path) != want {
				t.Errorf("%s matches %s: %v, want %v", pattern, path, !want, want)
			}
		}
	}
}

// A pattern from a cloned repository or a model must not cost 2^n steps.
func TestPatternsThatStandForTooManyAreRefused(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		strings.Repeat("{a,a}", 40) + "b", strings.Repeat("{a,", 300) + "b" + strings.Repeat("}", 300), strings.Repeat("a", 3000), "[", "{a",
	} {
		if _, err := glob.Compile(pattern); err == nil {
			t.Errorf("%.20s…: it is accepted", pattern)
		}
	}
}

// An accepted pattern matches what doublestar matches, with few alternatives.
func FuzzPattern(f *testing.F) {
	f.Add("src/{a,b}/**", "src/a/b")
	f.Add("{{a,b},{c,{d,e}}}", "d")
	f.Add(strings.Repeat("{a,a}", 6), "aaaaaa")
	f.Add(`[\]{a,b}`, "{a")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := glob.Compile(pattern)
		if err != nil || len(pattern) > 64 || strings.Count(pattern, "{") > 4 {
			return
		}
		if got, want := p.Match(path), doublestar.MatchUnvalidated(pattern, path); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, path, got, want)
		}
	})
}
