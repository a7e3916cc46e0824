package kota

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Limits on the gaps that a text lists; JSON has all of them.
const (
	maxGaps  = 20
	maxKinds = 8
)

// Unknown lists, one per line, the files that were read in part or not at all, the unresolved
// imports, and the languages that are not indexed.
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

// Report returns lines that say what an index holds, where it is and how large.
func (s Status) Report() string {
	return s.Contents() + fmt.Sprintf("index: %s, %s\n", text.Printable(s.Index), text.Bytes(s.Bytes))
}

// Brief returns the Report without the list of gaps. It says how to see them.
func (s Status) Brief() string {
	known := s
	known.Gaps = nil
	if len(s.Gaps) > 0 {
		known.Notes = append(slices.Clone(s.Notes), "what was not found or not read whole, place by place: pictx kota status")
	}
	return known.Report()
}

// Contents returns lines that say what an index holds.
func (s Status) Contents() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	counts := []string{text.Count(s.Symbols, "symbol")} // without those that are 0
	for _, c := range []struct {
		n    int
		what string
	}{{s.Edges, ""}, {s.Inferred, " inferred"}, {s.External, " of packages"}, {s.Unresolved, " not found"}, {s.Computed, " computed"}} {
		if c.n != 0 {
			counts = append(counts, text.Count(c.n, "import")+c.what)
		}
	}
	line("%s", strings.Join(counts, ", "))
	if s.ImportsOnly > 0 || s.Partial > 0 {
		line("%s with nothing but their imports, %s with syntax errors", text.Count(s.ImportsOnly, "file"), text.Count(s.Partial, "file"))
	}
	var kinds []string
	for _, c := range s.Languages {
		kinds = append(kinds, text.CountPlain(c.N, c.Name+" file"))
	}
	if len(kinds) > 1 {
		line("%s", strings.Join(kinds, ", "))
	}
	if s.Outside > 0 || s.Generated > 0 {
		line("not in the default build: %s; generated: %s", text.Count(s.Outside, "file"), text.Count(s.Generated, "file"))
	}
	for _, c := range s.Skipped {
		line("skipped, %s: %s", c.Name, text.Count(c.N, "file"))
	}
	for _, unknown := range s.Unknown() {
		line("%s", unknown)
	}
	for _, n := range s.Notes {
		line("note: %s", text.TerminalLine(n))
	}
	return b.String()
}
