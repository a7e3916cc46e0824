package decision

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAModelFindsDecisionsThatItIsNotShown(t *testing.T) {
	b := newBook(t)
	b.add(New{Text: "Never call the payment API twice", Paths: []string{"pay/**"}})
	for i := range 60 {
		b.add(New{Text: fmt.Sprintf("Rule %d about something else that takes a whole line of its own", i)})
	}
	draft := b.add(New{Text: "Every payment is logged", Status: Draft})
	gone := b.add(New{Text: "A payment is cached"})
	b.do(gone, func(e *Editor, d *Decision) error { return e.Remove(d, "") })
	for query, want := range map[string][]string{
		"payment":              {"Never call the payment API twice", draft + " | Every payment is logged (draft)"},
		"path:pay/card.go":     {"Never call the payment API twice"},
		"nothing of that sort": {"no matching decisions"},
		"rule":                 {"Rule 59", "more: narrow the query"},
	} {
		got, err := b.state().Answer(query)
		for _, part := range want {
			if err != nil || !strings.Contains(got, part) {
				t.Errorf("%s: %q is missing in %s (%v)", query, part, got, err)
			}
		}
		if strings.Contains(got, "cached") || utf8.RuneCountInString(got) > maxSection+40 {
			t.Errorf("%s: %d characters: %s", query, len(got), got)
		}
	}
	if _, err := b.state().Answer("before:never"); err == nil {
		t.Error("a day that is none was searched for")
	}
}

func TestAMisspeltFieldOfAQueryIsSaid(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"stat:active": "status:", "tags:db": "tag:", "stat:foo": "status:", "https://example.invalid/x": "", "std::move": "",
		`"stat:foo"`: "", "a:b": "", "-stat:foo": "status:", "NEAR(": "", `a"b`: "",
	} {
		_, err := ParseQuery(body)
		var wrong *TextError
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", body, err)
		case want != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want a word about %s", body, err, want)
		}
	}
}
