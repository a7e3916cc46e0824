// Package must ends tests at errors, and compares what tests got with what they want, in a line
// each. It must not be used by anything that ships, and it knows nothing of pictx.
package must

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Do ends the test at an error.
func Do(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Get returns what gives the value of a call, and ends the test at its error:
// must.Get(os.ReadFile(name))(t).
func Get[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		Do(tb, err)
		return v
	}
}

// Not fails the test when something is wrong. what says what, as for fmt.Sprintf.
func Not(tb testing.TB, wrong bool, what string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(what, args...)
	}
}

// Stop ends the test when something is wrong. what says what, as for fmt.Sprintf.
func Stop(tb testing.TB, wrong bool, what string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(what, args...)
	}
}

// Equal fails the test when two values differ. what says which they are, as for fmt.Sprintf.
func Equal[T comparable](tb testing.TB, got, want T, what string, args ...any) {
	tb.Helper()
	if got != want {
		tb.Errorf(what+": %#v, want %#v", append(args, got, want)...)
	}
}

// Match fails the test when two values of any kind differ, and shows in what.
func Match(tb testing.TB, got, want any, what string, args ...any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf(what+" (-want +got):\n%s", append(args, diff)...)
	}
}

// Contain fails the test when a text does not contain a part.
func Contain(tb testing.TB, text, part, what string, args ...any) {
	tb.Helper()
	if !strings.Contains(text, part) {
		tb.Errorf(what+": %q is not in\n%s", append(args, part, text)...)
	}
}

// Lack fails the test when a text contains a part.
func Lack(tb testing.TB, text, part, what string, args ...any) {
	tb.Helper()
	if strings.Contains(text, part) {
		tb.Errorf(what+": %q is in\n%s", append(args, part, text)...)
	}
}
