package words

import (
	"slices"
	"strings"
)

// Why says briefly what of a question a file has: its name, a declaration, words in its path, or
// else in its text.
func (r *Ranked) Why() string {
	var out []string
	if r.Named {
		out = append(out, "named")
	}
	if len(r.Declares) > 0 {
		out = append(out, "declares "+r.Declares[0].Name)
	}
	if r.InPath {
		out = append(out, "path")
	}
	if len(out) == 0 {
		out = append(out, "text")
	}
	return strings.Join(out, ", ")
}

// Lead moves the files that a question names to the front of a ranking, in their order.
func Lead(list []Ranked, named []int) {
	for _, file := range slices.Backward(named) {
		i := slices.IndexFunc(list, func(r Ranked) bool { return r.File == file })
		if i < 0 {
			continue
		}
		r := list[i]
		r.Named, r.Score = true, max(r.Score, list[0].Score)
		copy(list[1:i+1], list[:i])
		list[0] = r
	}
}
