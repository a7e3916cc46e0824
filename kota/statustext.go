package kota

import (
	"fmt"
	"strings"
)

// How much of what an index lacks is put into words; JSON has all of it.
const (
	maxGaps  = 20
	maxKinds = 8
)

// Unknown says in lines what is not known of which files: those that were read in
// part or not at all, the imports that lead nowhere, and the other languages.
func (s Status) Unknown() []string {
	var out []string
	for _, g := range s.Gaps[:min(len(s.Gaps), maxGaps)] {
		at := safe(g.File)
		if g.Line > 0 {
			at += fmt.Sprintf(":%d", g.Line)
		}
		if g.Spec != "" {
			at += " " + safe(g.Spec)
		}
		out = append(out, fmt.Sprintf("  %s: %s", at, g.Why))
	}
	if n := len(s.Gaps) - maxGaps; n > 0 {
		out = append(out, fmt.Sprintf("  and %d more: --json lists them", n))
	}
	var kinds []string
	for _, c := range s.NotRead[:min(len(s.NotRead), maxKinds)] {
		kinds = append(kinds, fmt.Sprintf("%d %s", c.N, safe(c.Name)))
	}
	if len(kinds) > 0 {
		out = append(out, "not read, in other languages: "+strings.Join(kinds, ", "))
	}
	return out
}
