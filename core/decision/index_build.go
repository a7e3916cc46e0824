package decision

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The bounds of a log that has an index.
const (
	maxIndexedDamage = 100       // lines that cannot be used
	maxDamageBytes   = 256 << 10 // of them
)

// BuildIndex makes the index of a log from its bytes, what was read of them and what
// that comes to. A log that is not worth it or not fit for it is an error: it is read
// as a whole each time.
func BuildIndex(data []byte, l *Log, s *State) ([]byte, error) {
	switch {
	case !l.Whole || int64(len(data)) != l.Size || len(data) == 0:
		return nil, errors.New("index decisions: the log does not end with a whole line")
	case len(data) > math.MaxInt32:
		return nil, errors.New("index decisions: the log is too long")
	case len(l.Has(DamageKey)) > 0:
		return nil, errors.New("index decisions: two events have one key")
	}
	sum := sha256.Sum256(data)
	h := indexHead{
		Covers: l.Size, Digest: hex.EncodeToString(sum[:]), MaxLine: l.most, Lines: l.Lines, BOM: l.BOM, CRLF: l.CRLF, Repeated: l.Repeated, Project: l.Project(),
	}
	var err error
	if h.Damage, err = damaged(data, l); err != nil {
		return nil, err
	}
	if n := len(s.Decisions); n > 0 {
		first := s.Decisions[n-1].events[0]
		h.Last = lastAdd{first.stamp, first.Key}
	}
	groups, err := gather(l, s)
	if err != nil {
		return nil, err
	}
	var parts [partCount][]byte
	parts[partGroups], parts[partLines], parts[partIDs] = groups.write()
	parts[partRows] = groups.rows(s)
	parts[partMarks], parts[partPosts] = postings(s)
	parts[partKeys] = keys(l)
	return h.frame(parts[:])
}

// frame writes the head and then the sections.
func (h *indexHead) frame(parts [][]byte) ([]byte, error) {
	at := uint64(0)
	for _, p := range parts {
		h.Sections = append(h.Sections, [3]uint64{at, uint64(len(p)), uint64(castagnoli(p))})
		at += uint64(len(p))
	}
	head, err := json.Marshal(h)
	if err != nil || len(head) > maxIndexHead {
		return nil, errors.Join(err, fmt.Errorf("index decisions: a head of %d bytes", len(head)))
	}
	out := make([]byte, 0, len(indexMagic)+8+len(head)+int(at))
	out = append(out, indexMagic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	out = binary.LittleEndian.AppendUint32(out, castagnoli(head))
	out = append(out, head...)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out, nil
}

// damaged are the lines that cannot be used: they are read again each time.
func damaged(data []byte, l *Log) ([]lineRef, error) {
	var out []lineRef
	all := 0
	for _, d := range l.Damage {
		size := bytes.IndexByte(data[d.Offset:], '\n')
		all += size
		if size < 0 || all > maxDamageBytes || len(out) == maxIndexedDamage {
			return nil, errors.New("index decisions: too much of the log is damaged")
		}
		out = append(out, lineRef{d.Offset, size, d.Line})
	}
	return out, nil
}

// gathered are the lines of each id: those about it, and those that begin a decision
// which takes its place.
type gathered struct {
	all    []gatheredGroup
	number map[string]int // by id
}

type gatheredGroup struct {
	id     string
	hash   uint64
	begins bool
	first  lineRef // nearly all have no other
	more   []lineRef
}

func gather(l *Log, s *State) (*gathered, error) {
	g := &gathered{number: make(map[string]int, len(s.Decisions))}
	g.all = make([]gatheredGroup, 0, len(s.Decisions))
	for i := range l.Events {
		e := &l.Events[i]
		ref := lineRef{e.at, e.size, e.Line}
		g.add(e.ID, ref)
		if sp := value(e.Data.Supersedes); e.Op == OpAdd && sp != "" && sp != e.ID {
			g.add(sp, ref)
		}
	}
	for i := range g.all {
		x := &g.all[i]
		x.hash, x.begins = hashOf(x.id), s.byID[x.id] != nil
	}
	slices.SortFunc(g.all, func(a, b gatheredGroup) int { return cmp.Compare(a.hash, b.hash) })
	for i := range g.all {
		if i > 0 && g.all[i].hash == g.all[i-1].hash {
			return nil, errors.New("index decisions: two ids have one hash")
		}
		g.number[g.all[i].id] = i
	}
	return g, nil
}

func (g *gathered) add(id string, ref lineRef) {
	if n, ok := g.number[id]; ok {
		g.all[n].more = append(g.all[n].more, ref)
		return
	}
	g.number[id] = len(g.all)
	g.all = append(g.all, gatheredGroup{id: id, first: ref})
}

// write writes the sections of groups, lines and ids.
func (g *gathered) write() (groups, lines, ids []byte) {
	le := binary.LittleEndian
	line := func(r lineRef) {
		lines = le.AppendUint32(le.AppendUint32(le.AppendUint32(lines, uint32(r.At)), uint32(r.Size)), uint32(r.Line))
	}
	for i := range g.all {
		x := &g.all[i]
		first := uint32(len(lines) / lineWidth)
		if x.begins {
			first |= groupBegins
		}
		groups = le.AppendUint32(le.AppendUint64(groups, x.hash), first)
		line(x.first)
		for _, r := range x.more {
			line(r)
		}
		ids = append(binary.AppendUvarint(ids, uint64(len(x.id))), x.id...)
	}
	return groups, lines, ids
}

// rows writes the section of decisions.
func (g *gathered) rows(s *State) []byte {
	out := make([]byte, 0, len(s.Decisions)*rowWidth)
	for _, d := range s.Decisions {
		flags := uint64(0)
		if !d.Removed && d.Status == Active {
			flags |= rowActive
		}
		if !d.Removed && d.Status == Draft {
			flags |= rowDraft
		}
		if pinFirst(d) == 0 {
			flags |= rowPinned
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(g.number[d.Bare])<<rowFlags|flags)
		out = binary.LittleEndian.AppendUint64(out, printOf(d.Text))
	}
	return out
}

// postings writes which active decisions have a word that begins with a mark.
func postings(s *State) (marks, posts []byte) {
	type list struct {
		last int
		rows []byte
	}
	all := make(map[mark]*list)
	for i, d := range s.Decisions {
		if d.Removed || d.Status != Active {
			continue
		}
		marksOf(d.Text, func(m mark) {
			l := all[m]
			if l == nil {
				l = &list{last: -1}
				all[m] = l
			}
			if l.last < i {
				l.rows = binary.AppendUvarint(l.rows, uint64(i-l.last))
				l.last = i
			}
		})
	}
	order := make([]mark, 0, len(all))
	for m := range all {
		order = append(order, m)
	}
	slices.Sort(order)
	for _, m := range order {
		marks = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(marks, uint32(m)), uint32(len(posts)))
		posts = append(posts, all[m].rows...)
	}
	return marks, posts
}

// keys writes the hashes of the events' keys.
func keys(l *Log) []byte {
	all := make([]uint64, len(l.Events))
	for i := range l.Events {
		all[i] = hashOf(l.Events[i].Key)
	}
	slices.Sort(all)
	out := make([]byte, 0, len(all)*keyWidth)
	for _, h := range all {
		out = binary.LittleEndian.AppendUint64(out, h)
	}
	return out
}

// fits reports whether an id begins or ends with a part in upper case.
func fits(id []byte, part string) bool {
	return part != "" && matches(strings.ToUpper(string(id)), part)
}
