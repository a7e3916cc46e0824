package decision

import (
	"fmt"
	"slices"
)

// related returns the places of what a text may have to do with, and reads them.
func (p *partial) related(text string) ([]int, error) {
	search := newLexicon().features(text).search()
	sets, err := p.sets(search)
	if err != nil {
		return nil, err
	}
	finder := search.finder()
	for range len(p.places) {
		sets = append(sets, 0) // more than there are new ones: no candidates
	}
	if changed := bitmap(p.changed); len(p.changed) > 0 {
		for i := range p.base.len() {
			if changed.has(p.base.at(i).group) {
				sets[i] = 0
			}
		}
	}
	for at, d := range p.places {
		if sets[at] = 0; !d.Removed && d.Status == Active {
			sets[at] = candidate | finder.in(d.Text)
		}
	}
	best := search.best(sets, maxNear)
	for _, i := range best {
		if err := p.loadRow(i); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// loadRow reads the decision of a row; new ones were read.
func (p *partial) loadRow(i int) error {
	if i >= p.base.len() {
		return nil
	}
	g, err := p.groupAt(p.base.at(i).group)
	if err != nil {
		return err
	}
	return p.load(g)
}

// same reads the active decisions and the drafts that may say the same as a text.
func (p *partial) same(texts []string) error {
	var prints []uint64
	for _, t := range texts {
		prints = append(prints, printOf(t))
	}
	found := 0
	for i := range p.base.len() {
		r := p.base.at(i)
		if !slices.Contains(prints, r.print) || r.flags&(rowActive|rowDraft) == 0 {
			continue
		}
		if found++; found > maxSame {
			return fmt.Errorf("read decisions: %w: more than %d say the same", ErrNeed, maxSame)
		}
		if err := p.loadRow(i); err != nil {
			return err
		}
	}
	return nil
}

// latest reads the active decisions that are shown: of the pinned ones and of the
// others the last, as many as may be.
func (p *partial) latest() error {
	left := map[uint8]int{rowActive: MaxDecisions, rowActive | rowPinned: MaxDecisions}
	for i := p.base.len() - 1; i >= 0; i-- {
		r := p.base.at(i)
		if left[r.flags] == 0 || p.changed[r.group] {
			continue
		}
		left[r.flags]--
		if err := p.loadRow(i); err != nil {
			return err
		}
	}
	return nil
}

// state is what was read, with what is known of the rest.
func (p *partial) state(near map[string][]int) (*State, error) {
	s := p.replay()
	s.hidden = p.active - len(s.With(Active))
	s.taken = func(id string) bool {
		g, ok, err := p.group(hashOf(id))
		return err != nil || ok && g.begins
	}
	at, err := p.decisions(s)
	if err != nil {
		return nil, err
	}
	s.near = make(map[string][]*Decision)
	for text, rows := range near {
		list := make([]*Decision, 0, len(rows))
		for _, i := range rows {
			d := at[i]
			if d == nil || d.Removed || d.Status != Active {
				return nil, fmt.Errorf("read decisions: %w: row %d", ErrIndex, i)
			}
			list = append(list, d)
		}
		s.near[text] = list
	}
	if s.hidden < 0 {
		return nil, fmt.Errorf("read decisions: %w: more are active than it says", ErrIndex)
	}
	return s, nil
}

// decisions are those that were read, by their places.
func (p *partial) decisions(s *State) (map[int]*Decision, error) {
	byKey := make(map[string]*Decision, len(s.Decisions))
	for _, d := range s.Decisions {
		byKey[d.Key] = d
	}
	at := make(map[int]*Decision)
	for i, d := range p.places {
		at[i] = byKey[d.Key]
	}
	next := make(map[string]int)
	read := bitmap(p.ids)
	for i := range p.base.len() {
		g := p.base.at(i).group
		if !read.has(g) || p.changed[g] {
			continue
		}
		id := p.ids[g]
		all := s.byID[id]
		if next[id] == len(all) {
			return nil, fmt.Errorf("read decisions: %w: row %d", ErrIndex, i)
		}
		at[i] = all[next[id]]
		next[id]++
	}
	return at, nil
}
