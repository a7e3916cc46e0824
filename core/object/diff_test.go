package object

import (
	"fmt"
	"strings"
	"testing"
)

// What one version lacks was not deleted by the other.
func TestVersionsAreComparedInTheLinesThatBothHave(t *testing.T) {
	t.Parallel()
	const ten = "l1 l2 l3 l4 l5 l6 l7 l8 l9 l10"
	version := func(first int, text string) (*Version, string) {
		v := &Version{Doc: Document{File: &File{}}}
		text = strings.ReplaceAll(text, " ", "\n") + "\n"
		if first > 0 {
			v.Doc.File.Lines = &Lines{first, first + strings.Count(text, "\n") - 1}
		}
		return v, text
	}
	for name, c := range map[string]struct {
		first, then   int // the first line, 0 for a whole file
		before, after string
		compared      string
		want          string // the lines that differ
	}{
		"whole":                     {0, 0, ten, "l1 l3", "", "-l2 -l4 -l5 -l6 -l7 -l8 -l9 -l10"},
		"a part of it":              {0, 4, ten, "l4 l5 l6", "4-6 4-6", ""},
		"a part, changed":           {0, 4, ten, "l4 x l6", "4-6 4-6", "-l5 +x"},
		"a part, changed at ends":   {0, 4, ten, "x l5 y", "4-6 4-6", "-l4 +x -l6 +y"},
		"all of a part changed":     {0, 4, ten, "x y", "4-5 4-5", "-l4 -l5 +x +y"},
		"a part that moved":         {0, 6, ten, "l4 l5 l6", "4-6 6-8", ""},
		"a part, then all":          {4, 0, "l4 l5 l6", ten, "4-6 4-6", ""},
		"two parts that overlap":    {4, 6, "l4 l5 l6", "l6 l7 l8", "6-6 6-6", ""},
		"two parts that do not":     {1, 7, "l1 l2", "l7 l8", "none", ""},
		"a part that grew":          {4, 4, "l4 l5 l6", "l4 n l5 l6", "4-6 4-7", "+n"},
		"the beginning was deleted": {0, 1, ten, "l3 l4", "1-4 1-2", "-l1 -l2"},
	} {
		a, before := version(c.first, c.before)
		b, after := version(c.then, c.after)
		got := Compare(a, b, before, after)
		compared := ""
		if got.Before != nil {
			compared = fmt.Sprintf("%d-%d %d-%d", got.Before.First, got.Before.Last, got.After.First, got.After.Last)
			if got.Before.Last < got.Before.First {
				compared = "none"
			}
		}
		var differ []string
		for _, l := range got.Lines {
			if l.Op != "=" {
				differ = append(differ, l.Op+strings.TrimSpace(l.Text))
			}
		}
		if compared != c.compared || strings.Join(differ, " ") != c.want {
			t.Errorf("%s: compared %q, want %q; differ %q, want %q", name, compared, c.compared, differ, c.want)
		}
	}
}
