package session

import "github.com/coctostan/pictx/core/message"

// Next is how the request that is about to be sent from an entry relates to the last one.
type Next struct {
	Start Start
	// Changed is the entry of the first message that differs from what the last request had,
	// "" when messages were only added at the end.
	Changed string
}

// Next returns how a request that is sent from a leaf relates to the last one.
func (s *Session) Next(leaf string) (Next, error) {
	items := message.WithoutSystem(s.tree.Context(leaf))
	marked, _, err := s.marks.on(leaf)
	if err != nil {
		return Next{}, err
	}
	n := Next{Start: s.startFrom(leaf, items)}
	for i := range min(len(items), len(s.last.items)) {
		was, now := &s.last.items[i], &items[i]
		if was.Node != now.Node || was.Edit != now.Edit || s.last.markers[was.Node.ID] != marked[now.Node.ID] {
			n.Changed = now.Node.ID
			break
		}
	}
	return n, nil
}

// startFrom returns how a request that is sent from a leaf starts.
func (s *Session) startFrom(leaf string, items []message.Item) Start {
	at, last := s.tree.Lookup(leaf), s.last.answer
	switch {
	case len(s.Requests) == 0:
		return StartsSession
	case at == nil || at != last && !s.tree.Follows(at, last):
		return OnBranch
	case len(items) > 0 && items[0].Node.Type == message.EntryCompaction && s.tree.Follows(items[0].Node, last):
		return AfterCompaction
	}
	return Continues
}

// Branch returns the session as if it had no other branches than that of a leaf.
func (s *Session) Branch(leaf string) (*Session, error) {
	t := &message.Tree{Header: s.tree.Header}
	for _, n := range s.tree.Path(leaf) {
		t.Add(*n)
	}
	return Load(t, s.line)
}

// Model returns the model of a coming request, which has the assumed line when it has not
// answered yet and no other model has. Provider and id may be "" for that of the last request.
func (s *Session) Model(provider, id string) Model {
	m := Model{Provider: provider, ID: id}
	m.fit()
	if n := len(s.Requests); n > 0 {
		m = s.Models[s.Requests[n-1].Model]
	}
	for i := range s.Models {
		if one := &s.Models[i]; one.ID == id && (provider == "" || one.Provider == provider) {
			return *one
		}
	}
	return m
}
