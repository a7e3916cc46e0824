package text

import (
	"slices"
	"testing"
)

func TestInflectionsLeadFromAFormToItsWord(t *testing.T) {
	for word, want := range map[string]string{
		"dropped": "drop", "committed": "commit", "planning": "plan", "added": "add", "fixes": "fix", "used": "use", "using": "use", "runs": "run",
		"linter": "lint", "formatter": "format", "writers": "write", "chosen": "choose", "wrote": "written", "kept": "keep", "running": "ran",
	} {
		if got := Inflections(word); !slices.Contains(got, want) {
			t.Errorf("Inflections(%q) = %q, want %q among them", word, got, want)
		}
	}
	for word, wants := range map[string][]string{
		"save": {"saves", "saved", "saving"}, "use": {"used", "using"}, "saved": {"save", "saving"},
		"copy": {"copies", "copied"}, "copied": {"copy", "copies", "copying"}, "tries": {"try", "tried"}, "modified": {"modify", "modifies"},
	} {
		got := Inflections(word)
		for _, want := range wants {
			if !slices.Contains(got, want) {
				t.Errorf("Inflections(%q) = %q, want %q among them", word, got, want)
			}
		}
	}
	for _, word := range []string{"class", "user", "order", "über", "a", "", "key", "display", "be", "by", "cache"} {
		if got := Inflections(word); len(got) != 1 || got[0] != word {
			t.Errorf("Inflections(%q) = %q, want none but itself", word, got)
		}
	}
}
