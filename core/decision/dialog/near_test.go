package dialog_test

import (
	"testing"

	"github.com/coctostan/pictx/core/decision/dialog"
)

func TestNearFindsWhatAMistypedIDMayMean(t *testing.T) {
	s := stateOf(t, "Use tabs", "Keep logs", "Build with make", "Test first")
	id := s.Present()[1].Bare
	typo := id[:len(id)-1] + "?"
	for typed, want := range map[string]string{typo: "Keep logs", "make": "Build with make", "zz": "Test first"} {
		near := dialog.Near(s, typed)
		if len(near) == 0 || near[0].Text != want && typed != typo || len(near) > 3 {
			t.Errorf("%s: %v", typed, near)
		}
		found := false
		for _, d := range near {
			found = found || d.Text == want
		}
		if !found {
			t.Errorf("%s: %q is not near", typed, want)
		}
	}
	if near := dialog.Near(stateOf(t), "zz"); near != nil {
		t.Errorf("an empty log: %v", near)
	}
}
