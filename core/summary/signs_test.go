package summary_test

import (
	"slices"
	"strings"
	"testing"
)

// decided are sentences that settle something.
func decided() []string {
	return []string{
		"I'll adapt the parser from the old branch, but use replace semantics instead of append.",
		"Let's just keep the simple version for now and wire the type through.",
		"We decided to keep the cache in memory, for the disk is shared.",
		"Yes, we go with option 2.",
		"Use the git command line rather than the library: it honours all ignore files.",
		"Rejected: one index for each session, since forks would be stored twice.",
		"We won't support drive letters in this release.",
		"Decision: sessions expire after 30 minutes.",
		"I chose a table test, so that a new case is one line.",
		"It was agreed that docs/rejected.md lists the alternatives.",
	}
}

// undecided are sentences of agents and users at work, which settle nothing.
func undecided() []string {
	return []string{
		"Now let's implement the fix.",
		"Let me fix it and add the missing tests.",
		"This fixes the unused variable warning.",
		"The fix is in common.go, next to the list.",
		"I found three issues that need fixing.",
		"Which of these approaches would you have chosen instead of mine?",
		"Want me to fix it now, or track it as a follow-up?",
		"Also fix SaveTaskCheckpoint in the same file.",
		"Good, it is in neither index after the fix.",
		"Let me run the tests to verify the fix.",
		"The loader should catch this error gracefully instead of crashing.",
		"If the terminal has a light background, it might be loading the light theme instead of the dark one.",
		"The problem is clear.",
	}
}

// found are sentences that say what the matter is.
func found() []string {
	return []string{
		"The root cause is the fix: true in the linter's settings.",
		"The fix is to rebuild the index of the work tree.",
		"It fails because the test reads the home directory.",
	}
}

func TestDecidedListsWhatWasSettledAndNotThatSomethingIsMended(t *testing.T) {
	s := newSession(t)
	s.user(t, "Look after the store, please, and tell me what you do.")
	for _, line := range slices.Concat(undecided(), decided(), found()) {
		s.says(t, line)
		s.runs(t, "true", "")
	}
	text := s.extract(t)
	section := func(title string) string {
		_, rest, _ := strings.Cut(text, "### "+title+"\n")
		rest, _, _ = strings.Cut(rest, "\n### ")
		return rest
	}
	for title, want := range map[string][]string{"Decided": decided(), "Found out": found()} {
		for _, s := range want {
			if !strings.Contains(section(title), s) {
				t.Errorf("%s lacks %q", title, s)
			}
		}
	}
	for _, s := range undecided() {
		if strings.Contains(section("Decided"), s) || strings.Contains(section("Found out"), s) {
			t.Errorf("nothing is settled by %q", s)
		}
	}
}
