package kota

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Answer is the answer to a question.
type Answer interface {
	// cut returns the answer with its lists cut.
	cut(c *cutter) any
}

// cutter cuts the lists of an answer.
type cutter struct {
	Window
	n         int  // how many elements of each list are left
	most      int  // the length of the longest list
	truncated bool // elements after those that are left were cut
}

// window cuts a list to those of its elements that are asked for, and counts the others.
func window[T any](c *cutter, list *[]T) (p Page) {
	c.most = max(c.most, len(*list))
	*list, p = Cut(*list, c.Offset, c.Limit, c.n)
	c.truncated = c.truncated || p.Truncated
	return p
}

// first cuts a list of which every part of an answer has the beginning.
func first[T any](c *cutter, list *[]T) {
	all := &cutter{n: c.n}
	window(all, list)
	c.most, c.truncated = max(c.most, all.most), c.truncated || all.truncated
}

// JSON encodes an answer as one line of JSON of at most limit bytes, of any length when limit is 0.
// Its lists have as many elements as fit. When even empty lists take too much, the JSON states this
// and the limit.
func JSON(a Answer, limit int, w Window) ([]byte, error) {
	most := 0
	encode := func(n int) (string, error) {
		c := &cutter{Window: w, n: n}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(a.cut(c))
		most = max(most, c.most)
		return b.String(), err
	}
	whole, err := encode(math.MaxInt)
	if err != nil || limit <= 0 || len(whole) <= limit {
		return []byte(whole), err
	}
	part := fmt.Sprintf(`{"truncated":true,"max_bytes":%d}`+"\n", limit)
	sort.Search(most, func(n int) bool {
		b, err := encode(n)
		if err != nil || len(b) > limit {
			return true
		}
		part = b // the searched numbers that fit only grow
		return false
	})
	return []byte(part), nil
}

func (s *Side) cut(c *cutter) *Side {
	if s == nil {
		return nil
	}
	out := *s
	out.Page = window(c, &out.List)
	return &out
}

func (d Deps) cut(c *cutter) any {
	d.Dependents, d.Dependencies = d.Dependents.cut(c), d.Dependencies.cut(c)
	first(c, &d.Unresolved)
	first(c, &d.External)
	return d
}

func (u Usages) cut(c *cutter) any {
	if u.Page = window(c, &u.List); len(u.Candidates) > 0 {
		u.Page = window(c, &u.Candidates)
	}
	return u
}

func (h Hits) cut(c *cutter) any {
	h.Page = window(c, &h.List)
	return h
}

func (m Map) cut(c *cutter) any {
	m.Page = window(c, &m.List)
	return m
}

func (x Cycles) cut(c *cutter) any {
	x.Page = window(c, &x.List)
	return x
}

func (im Impact) cut(c *cutter) any {
	window(c, &im.Broken)
	window(c, &im.Tests)
	window(c, &im.Dependents)
	window(c, &im.Exports)
	first(c, &im.Clashes)
	im.Truncated = c.truncated
	return im
}

func (b Briefing) cut(c *cutter) any {
	window(c, &b.Tests)
	window(c, &b.List)
	b.Files = slices.Clone(b.Files)
	for i := range b.Files {
		f := &b.Files[i]
		first(c, &f.Exports)
		first(c, &f.Imports)
		first(c, &f.Symbols)
	}
	b.Truncated = c.truncated
	return b
}

func (t Task) cut(c *cutter) any {
	t.Files = slices.Clone(t.Files)
	first(c, &t.Files)
	first(c, &t.Related)
	first(c, &t.Tests)
	for i := range t.Files {
		first(c, &t.Files[i].Exports)
	}
	if t.Truncated = c.truncated; c.n == 0 {
		t.Next = nil // paths alone take little, and are what is left of the answer
	}
	return t
}

// Page describes the part of a list that an answer has.
type Page struct {
	Shown     int  `json:"shown"`
	Omitted   int  `json:"omitted"` // after those shown
	Offset    int  `json:"offset"`
	Truncated bool `json:"truncated"`
}

// Cut returns the elements of a list from offset on: at most n, and at most limit when that is
// not 0. The Page counts the rest.
func Cut[T any](list []T, offset, limit, n int) ([]T, Page) {
	offset = min(max(offset, 0), len(list))
	out := list[offset:]
	if limit > 0 {
		out = out[:min(limit, len(out))]
	}
	out = out[:min(max(n, 0), len(out))]
	left := len(list) - offset - len(out)
	return out, Page{Shown: len(out), Omitted: left, Offset: offset, Truncated: left > 0}
}
