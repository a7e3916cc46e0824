package kota

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (d Deps) JSON(limit int, w Window) ([]byte, error) {
	most := 0
	for _, s := range []*Side{d.Dependents, d.Dependencies} {
		if s != nil {
			most = max(most, len(s.List))
		}
	}
	most = max(most, len(d.Unresolved), len(d.External))
	return FitJSON(limit, most, func(n int) any {
		out := d
		out.Dependents, out.Dependencies = d.Dependents.cut(w, n), d.Dependencies.cut(w, n)
		out.Unresolved, out.External = d.Unresolved[:min(n, len(d.Unresolved))], d.External[:min(n, len(d.External))]
		return out
	})
}

func (s *Side) cut(w Window, n int) *Side {
	if s == nil {
		return nil
	}
	out := *s
	out.List, out.Page = Cut(s.List, w.Offset, w.Limit, n)
	return &out
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (u Usages) JSON(limit int, w Window) ([]byte, error) {
	return FitJSON(limit, max(len(u.List), len(u.Candidates)), func(n int) any {
		out := u
		out.List, out.Page = Cut(u.List, w.Offset, w.Limit, n)
		if len(u.Candidates) > 0 {
			out.Candidates, out.Page = Cut(u.Candidates, w.Offset, w.Limit, n)
		}
		return out
	})
}

// paged encodes an answer with one list of which at most limit bytes fit. with returns it with a part of the list.
func paged[T any](limit int, w Window, list []T, with func(part []T, p Page) any) ([]byte, error) {
	return FitJSON(limit, len(list), func(n int) any { return with(Cut(list, w.Offset, w.Limit, n)) })
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (h Hits) JSON(limit int, w Window) ([]byte, error) {
	return paged(limit, w, h.List, func(part []Hit, p Page) any { h.List, h.Page = part, p; return h })
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (m Map) JSON(limit int, w Window) ([]byte, error) {
	return paged(limit, w, m.List, func(part []MapFile, p Page) any { m.List, m.Page = part, p; return m })
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (c Cycles) JSON(limit int, w Window) ([]byte, error) {
	return paged(limit, w, c.List, func(part []Cycle, p Page) any { c.List, c.Page = part, p; return c })
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (im Impact) JSON(limit int, w Window) ([]byte, error) {
	most := max(len(im.Broken), len(im.Tests), len(im.Dependents), len(im.Exports), len(im.Clashes))
	return FitJSON(limit, most, func(n int) any {
		out := im
		var a, b, c, d Page
		out.Broken, a = Cut(im.Broken, w.Offset, w.Limit, n)
		out.Tests, b = Cut(im.Tests, w.Offset, w.Limit, n)
		out.Dependents, c = Cut(im.Dependents, w.Offset, w.Limit, n)
		out.Exports, d = Cut(im.Exports, w.Offset, w.Limit, n)
		out.Clashes = im.Clashes[:min(n, len(im.Clashes))]
		out.Truncated = a.Truncated || b.Truncated || c.Truncated || d.Truncated
		return out
	})
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (b Briefing) JSON(limit int, w Window) ([]byte, error) {
	most := max(len(b.Tests), len(b.List))
	for _, f := range b.Files {
		most = max(most, len(f.Exports), len(f.Imports), len(f.Symbols))
	}
	return FitJSON(limit, most, func(n int) any {
		out := b
		var p, q Page
		out.Tests, p = Cut(b.Tests, w.Offset, w.Limit, n)
		out.List, q = Cut(b.List, w.Offset, w.Limit, n)
		out.Truncated = p.Truncated || q.Truncated
		out.Files = nil
		for _, f := range b.Files {
			out.Truncated = out.Truncated || n < max(len(f.Exports), len(f.Imports), len(f.Symbols))
			f.Exports, f.Imports = f.Exports[:min(n, len(f.Exports))], f.Imports[:min(n, len(f.Imports))]
			f.Symbols = f.Symbols[:min(n, len(f.Symbols))]
			out.Files = append(out.Files, f)
		}
		return out
	})
}
