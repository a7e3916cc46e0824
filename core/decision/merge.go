package decision

import (
	"bytes"
	"fmt"
	"slices"
)

// Merge merges two logs with a common base: every line of both sides, once, byte for
// byte, in the order of time and key. A line that one side deleted stays deleted. The
// result does not depend on which side is which. What one side says about a decision that
// the other redacted is redacted, too. A damaged line is an error, for a
// person to look at.
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
	var all []mergeLine
	var p Parser
	for i := 1; i <= 2; i++ {
		for key, line := range sides[i] {
			_, other := sides[3-i][key]
			was, known := sides[0][key]
			if i == 2 && other || known && !other && bytes.Equal(was, line) {
				continue // there already, or taken out by the other side
			}
			if mine := sides[3-i][key]; other && !bytes.Equal(mine, line) {
				line = chooseLine(was, line, mine)
			}
			e, _ := p.Parse(line) // an unknown operation has its place, too
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
		if back := s.spoken(); len(back) > 0 {
			out, _ = Redact(out, s, back)
		}
	}
	return out, nil
}

// chooseLine chooses between two lines of one event: the one that was changed, and of
// two changed ones the shorter, which is the redacted one.
func chooseLine(was, a, b []byte) []byte {
	switch {
	case bytes.Equal(a, was):
		return b
	case bytes.Equal(b, was):
		return a
	case len(a) < len(b) || len(a) == len(b) && bytes.Compare(a, b) < 0:
		return a
	}
	return b
}

// mergeLines returns the lines of a log by the keys of their events.
func mergeLines(data []byte) (map[string][]byte, error) {
	l := Read(data)
	out := make(map[string][]byte)
	for _, d := range l.Damage {
		if d.Code != DamageUnknown {
			return out, fmt.Errorf("merge decisions: line %d: %s", d.Line, d.Cause)
		}
	}
	var p Parser
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		e, err := p.Parse(line)
		key := e.Key
		if err != nil {
			key = DeriveKey(line)
		}
		out[key] = line
	}
	return out, nil
}
