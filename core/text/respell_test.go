package text

import (
	"slices"
	"testing"
)

func TestBritishSpellingBecomesAmericanAndTheReverse(t *testing.T) {
	for british, american := range map[string]string{
		"colour": "color", "colours": "colors", "greyed": "grayed", "behaviour": "behavior", "normalise": "normalize", "serialised": "serialized",
		"organisation": "organization", "tokenisers": "tokenizers", "analysing": "analyzing", "licence": "license", "catalogue": "catalog",
		"centres": "centers", "centred": "centered", "centring": "centering",
	} {
		if got := otherSpelling(british); got != american {
			t.Errorf("otherSpelling(%q) = %q, want %q", british, got, american)
		}
		if got := otherSpelling(american); got != british {
			t.Errorf("otherSpelling(%q) = %q, want %q", american, got, british)
		}
	}
	for _, word := range []string{"", "e", "size", "sized", "rise", "is", "error", "our", "über", "zed"} {
		if got := otherSpelling(word); got != "" {
			t.Errorf("otherSpelling(%q) = %q, want none", word, got)
		}
	}
}

func TestInflectionsHoldTheFormsOfTheOtherSpelling(t *testing.T) {
	for word, want := range map[string]string{"colours": "color", "color": "coloured", "normalised": "normalizing", "normalize": "normalise"} {
		if got := Inflections(word); !slices.Contains(got, want) {
			t.Errorf("Inflections(%q) = %q, want %q among them", word, got, want)
		}
	}
}
