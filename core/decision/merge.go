package decision

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Merge merges two logs with a common base: each line of either side once, byte for byte,
// ordered by time and key. A line that one side deleted stays deleted. When one side
// redacted a decision, the lines that the other side added about it are redacted too. The
// result does not depend on which side is which. A damaged line is an error, because a
// person has to look at it.
func Merge(base, ours, theirs []byte) ([]byte, error) {
	var sides [3]map[string][]byte
	for i, data := range [][]byte{base, ours, theirs} {
		lines, err := mergeLines(data)
		if err != nil && i > 0 {
			return nil, err
		}
		sides[i] = lines
	}
	type mergeLine struct {
		e    Event
		line []byte
	}
	keys := maps.Clone(sides[1])
	maps.Copy(keys, sides[2])
	var all []mergeLine
	for key := range keys {
		if line := chooseLine(sides[0][key], sides[1][key], sides[2][key]); line != nil {
			e, _ := Parse(line) // an unknown operation still has a time and a key
			all = append(all, mergeLine{e, line})
		}
	}
	slices.SortFunc(all, func(a, b mergeLine) int {
		if c := compareEvents(&a.e, &b.e); c != 0 {
			return c
		}
		return bytes.Compare(a.line, b.line)
	})
	var out []byte
	for _, a := range all {
		out = append(append(out, a.line...), '\n')
	}
	if l := Read(out); len(l.Events) > 0 {
		s := Replay(l.Events)
		if back := s.Restored(); len(back) > 0 {
			out, _ = Redact(out, s, back)
		}
	}
	return out, nil
}

// Met lists the active decisions that a branch adds to a log, each with those closest to it
// that another branch added: nobody has seen both.
func Met(base, ours, theirs []byte) []Entrant {
	added := func(side []byte) []*Decision {
		old := Replay(Read(base).Events)
		return slices.DeleteFunc(Replay(Read(side).Events).With(Active), func(d *Decision) bool { return old.has(d.Bare) })
	}
	var out []Entrant
	here := &State{Decisions: added(ours)}
	for _, d := range added(theirs) {
		if near := here.Closest(d.Text, nil); len(near) > 0 && !slices.ContainsFunc(here.Decisions, func(o *Decision) bool { return o.Key == d.Key }) {
			out = append(out, Entrant{Text: d.Text, Closest: near})
		}
	}
	return out
}

// chooseLine chooses between two versions of a line, nil where a side lacks it: the changed
// one, or when both changed, the shorter one, which is the redacted one.
func chooseLine(was, a, b []byte) []byte {
	switch {
	case bytes.Equal(a, was), a == nil:
		return b
	case bytes.Equal(b, was), b == nil:
		return a
	case len(a) < len(b) || len(a) == len(b) && bytes.Compare(a, b) < 0:
		return a
	}
	return b
}

// mergeLines returns the lines of a log by the key of their event.
func mergeLines(data []byte) (map[string][]byte, error) {
	l := Read(data)
	out := make(map[string][]byte)
	for _, d := range l.Damage {
		if d.Code != unknown.code {
			return out, fmt.Errorf("merge decisions: line %d: %s", d.Line, d.Text)
		}
	}
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		e, err := Parse(line)
		key := e.Key
		if err != nil {
			key = DeriveKey(line)
		}
		out[key] = line
	}
	return out, nil
}
