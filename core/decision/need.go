package decision

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Need is what somebody wants to know of a log: the rest may stay unread.
type Need struct {
	// Texts are what Related, Equal and Fresh are asked about, Same what only the
	// last two are.
	Texts, Same []string
	// IDs are what Find is asked for: decisions that change.
	IDs []string
	// Shown tells that Project is asked, Known are the ids that Since is asked about.
	Shown bool
	Known []string
}

// The bounds of what is read for a need; beyond them the whole log is.
const (
	maxNamed     = 64   // decisions that one part of an id fits
	maxSame      = 64   // decisions whose texts have one hash
	maxNeedLines = 8192 // lines
)

// Load reads from a log what a need is about: the same as the whole log says of it.
// log is the log, more what stands in it after what the index covers. An ErrIndex
// says that the index does not fit, an ErrNeed that the need wants more.
func (x *Index) Load(need Need, log io.ReaderAt, more []byte) (*Log, *State, error) {
	p := &partial{Index: x, source: log, ids: make(map[int]string), touched: make(map[string]bool)}
	if err := p.tail(more); err != nil {
		return nil, nil, err
	}
	for _, id := range slices.Concat(need.IDs, need.Known) {
		if err := p.name(id); err != nil {
			return nil, nil, err
		}
	}
	if err := p.place(); err != nil {
		return nil, nil, err
	}
	near := make(map[string][]int)
	for _, t := range need.Texts {
		rows, err := p.related(t)
		if err != nil {
			return nil, nil, err
		}
		near[strings.TrimSpace(t)] = rows
	}
	if err := p.same(slices.Concat(need.Texts, need.Same)); err != nil {
		return nil, nil, err
	}
	if need.Shown {
		if err := p.latest(); err != nil {
			return nil, nil, err
		}
	}
	s, err := p.state(near)
	if err == nil {
		err = chained(s, need.IDs)
	}
	return p.log, s, err
}

// partial is a log that is being read in part.
type partial struct {
	*Index
	source io.ReaderAt
	log    *Log // what no index covers

	parser Parser
	events []Event
	ids    map[int]string // of the groups that were read
	lines  map[int]int    // the events of lines that were read, by their numbers

	touched map[string]bool // ids that lines after the index are about
	changed map[int]bool    // their groups
	base    rows
	places  map[int]*Decision // their decisions: by their rows and, after those, the new ones
	active  int               // how many are active in all
}

// tail reads what the index does not cover.
func (p *partial) tail(more []byte) error {
	h := &p.head
	p.log = &Log{Whole: true, most: LineLimit(h.MaxLine), BOM: h.BOM, CRLF: h.CRLF, Repeated: h.Repeated, project: h.Project, keys: make(map[string]int)}
	for _, ref := range h.Damage {
		line, err := p.read(ref)
		if err != nil {
			return err
		}
		p.log.Size, p.log.Lines = ref.At, ref.Line
		p.log.line(line)
	}
	if len(p.log.Events) > 0 || len(p.log.Damage) != len(h.Damage) {
		return fmt.Errorf("read decisions: %w: its damaged lines", ErrIndex)
	}
	p.log.Size, p.log.Lines = h.Covers, h.Lines
	p.log.Extend(more)
	p.lines, p.changed = make(map[int]int), make(map[int]bool)
	for i := range p.log.Events {
		if err := p.touch(&p.log.Events[i]); err != nil {
			return err
		}
	}
	if len(p.log.Has(DamageKey)) > 0 {
		return fmt.Errorf("read decisions: %w: two events have one key", ErrIndex)
	}
	p.events = append(p.events, p.log.Events...)
	for id := range p.touched {
		if err := p.loadID(id, p.changed); err != nil {
			return err
		}
	}
	return nil
}

// touch takes in an event that the index does not cover.
func (p *partial) touch(e *Event) error {
	known, err := p.hasKey(e.Key)
	if err != nil {
		return err
	}
	last := p.head.Last
	if known || e.Op == OpAdd && (e.stamp < last.Stamp || e.stamp == last.Stamp && e.Key <= last.Key) {
		return fmt.Errorf("read decisions: %w: line %d belongs before its end", ErrIndex, e.Line)
	}
	p.touched[e.ID] = true
	if sp := value(e.Data.Supersedes); e.Op == OpAdd && sp != "" {
		p.touched[sp] = true
	}
	return nil
}

// read reads a line.
func (p *partial) read(ref lineRef) ([]byte, error) {
	if ref.At < 0 || ref.Size < 0 || ref.Size > maxDamageBytes+mostMaxLine || ref.At+int64(ref.Size) > p.head.Covers {
		return nil, fmt.Errorf("read decisions: %w: a line of %d bytes", ErrIndex, ref.Size)
	}
	b := make([]byte, ref.Size)
	if n, err := p.source.ReadAt(b, ref.At); n < len(b) {
		return nil, fmt.Errorf("read decisions: %w: %w", ErrIndex, err)
	}
	return b, nil
}

// loadID reads the lines of an id, and notes its group.
func (p *partial) loadID(id string, groups map[int]bool) error {
	g, ok, err := p.group(hashOf(id))
	if err != nil || !ok {
		return err
	}
	if groups != nil {
		groups[g.n] = true
	}
	return p.load(g)
}

// load reads the lines of a group.
func (p *partial) load(g group) error {
	if _, ok := p.ids[g.n]; ok {
		return nil
	}
	if len(p.lines)+len(g.lines) > maxNeedLines {
		return fmt.Errorf("read decisions: %w: it is about more than %d lines", ErrNeed, maxNeedLines)
	}
	for _, ref := range g.lines {
		e, err := p.event(ref)
		if err != nil {
			return err
		}
		switch sp := value(e.Data.Supersedes); {
		case hashOf(e.ID) == g.hash:
			p.ids[g.n] = e.ID
		case e.Op == OpAdd && hashOf(sp) == g.hash:
			p.ids[g.n] = sp
		default:
			return fmt.Errorf("read decisions: %w: line %d is about %s", ErrIndex, ref.Line, e.ID)
		}
	}
	return nil
}

// event reads the event of a line, once.
func (p *partial) event(ref lineRef) (*Event, error) {
	if n, ok := p.lines[ref.Line]; ok {
		return &p.events[n], nil
	}
	line, err := p.read(ref)
	if err != nil {
		return nil, err
	}
	e, err := p.parser.Parse(bytes.TrimSpace(line))
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w: line %d: %w", ErrIndex, ref.Line, err)
	}
	e.Line, e.at, e.size = ref.Line, ref.At, ref.Size
	p.lines[ref.Line] = len(p.events)
	p.events = append(p.events, e)
	return &p.events[len(p.events)-1], nil
}

// name reads the decisions that an id or a part of one may mean.
func (p *partial) name(id string) error {
	whole := strings.TrimSpace(id)
	want := strings.ToUpper(whole)
	bare, _, shared := strings.Cut(want, suffixMark)
	first, _, _ := strings.Cut(whole, suffixMark)
	known := false
	for _, x := range []string{whole, want, bare, first} {
		g, ok, err := p.group(hashOf(x))
		if err != nil {
			return err
		}
		if ok {
			known = known || g.begins
			if err := p.load(g); err != nil {
				return err
			}
		}
	}
	if known || shared || want == "" {
		return nil
	}
	all, err := p.named(want, maxNamed)
	if err != nil {
		return err
	}
	for _, g := range all {
		if err := p.load(g); err != nil {
			return err
		}
	}
	return nil
}

// place finds the places of the decisions that were changed after the index was
// made.
func (p *partial) place() error {
	var err error
	if p.base, err = p.rows(); err != nil {
		return err
	}
	s := p.replay()
	places := make(map[int][]int) // by group
	changed := bitmap(p.changed)
	for i := range p.base.len() {
		r := p.base.at(i)
		if changed.has(r.group) {
			places[r.group] = append(places[r.group], i)
		} else if r.flags&rowActive != 0 {
			p.active++
		}
	}
	p.places = make(map[int]*Decision)
	next := p.base.len()
	for _, d := range s.Decisions {
		if !p.touched[d.Bare] {
			continue
		}
		at := next
		if g, ok, err := p.group(hashOf(d.Bare)); err != nil {
			return err
		} else if ok && len(places[g.n]) > 0 {
			at = places[g.n][0]
			places[g.n] = places[g.n][1:]
		} else {
			next++
		}
		p.places[at] = d
		if !d.Removed && d.Status == Active {
			p.active++
		}
	}
	for n, left := range places {
		if len(left) > 0 {
			return fmt.Errorf("read decisions: %w: group %d", ErrIndex, n)
		}
	}
	return nil
}

// numberSet is a set of small numbers.
type numberSet []uint64

// bitmap is a set of numbers that is asked very often.
func bitmap[V any](set map[int]V) numberSet {
	most := -1
	for n := range set {
		most = max(most, n)
	}
	b := make(numberSet, most/64+1)
	for n := range set {
		b[n/64] |= 1 << (n % 64)
	}
	return b
}

func (b numberSet) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// replay puts together what was read.
func (p *partial) replay() *State {
	s := Replay(p.events)
	// Of a decision that was only read because it takes the place of another, there
	// is no more than its beginning.
	s.Decisions = slices.DeleteFunc(s.Decisions, func(d *Decision) bool { return !p.complete(d.Bare) })
	for id := range s.byID {
		if !p.complete(id) {
			delete(s.byID, id)
		}
	}
	s.Orphans = nil
	return s
}

// complete reports whether all lines of an id were read.
func (p *partial) complete(id string) bool {
	if p.touched[id] {
		return true
	}
	g, ok, err := p.group(hashOf(id))
	return err == nil && ok && p.ids[g.n] == id
}

// chained refuses decisions that another took the place of: what came of them is a
// matter of the whole log.
func chained(s *State, ids []string) error {
	for _, id := range ids {
		if d, err := s.Find(id); err == nil && d.SupersededBy != "" {
			return fmt.Errorf("find decision: %w: %s was superseded", ErrNeed, d.ID)
		}
	}
	return nil
}
