package record

import (
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// Imported is the result of importing an item.
type Imported struct {
	// ID is the id of the decision. Added is set unless the log already had it.
	ID    string
	Added bool
	// Err says why the item was left out, nil otherwise.
	Err error
}

// Import adds items that neither the log nor the change has yet. Items in force become
// drafts, or with accept active decisions; others keep their status. Which item replaces
// which is resolved across all items.
func Import(e *decision.Editor, items []Item, accept bool) ([]Imported, error) {
	im := importing{Editor: e, items: items, out: make([]Imported, len(items)), accept: accept, known: map[string]string{}, next: map[string]string{}}
	for _, d := range e.State.Present() {
		im.known[key(d.Title, d.Text)] = d.ID
	}
	for i := range items {
		im.out[i] = im.add(&items[i])
	}
	for i := range items {
		im.link(i)
	}
	for i := range items {
		if err := im.place(i); err != nil {
			return nil, err
		}
	}
	return im.out, nil
}

// Of returns the id of the decision that a record was written from, or that was imported
// from it; "" for none.
func (f *Item) Of(s *decision.State) string {
	for _, d := range s.Present() {
		if f.ID == "" && d.Record != nil && d.Record.Number == f.Number && d.Heading() == f.Title {
			return d.ID
		}
	}
	return f.ID
}

// importing is the state of an import.
type importing struct {
	*decision.Editor
	items  []Item
	out    []Imported
	accept bool
	known  map[string]string // ids by key
	next   map[string]string // ids of successors, by the id of the decision they replace
}

// key identifies equal records: the key of the text, and the title where it differs from
// the beginning of the text.
func key(title, body string) string {
	d := decision.Decision{Title: title, Text: body}
	return decision.TextKey(body) + "\n" + decision.TextKey(d.OwnTitle())
}

// becomes returns the status with which an item is added.
func (im *importing) becomes(f *Item) decision.Status {
	if f.Was == decision.Rejected || f.Was == decision.Superseded || im.accept && f.Was == decision.Active {
		return f.Was
	}
	return decision.Draft
}

// add adds the decision of an item.
func (im *importing) add(f *Item) Imported {
	want := key(f.Title, f.Text)
	if id, ok := im.known[want]; ok {
		return Imported{ID: id}
	}
	said := []string{f.Title, f.Text, f.Reason, f.Consequences, f.StatusReason, f.More}
	for _, m := range f.Facts {
		said = append(said, m[1])
	}
	if err := decision.CheckSecrets("import decision", strings.Join(said, "\n")); err != nil {
		return Imported{Err: err}
	}
	n := f.New
	n.Status = im.becomes(f)
	day := f.Created
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		day = ""
	}
	n.Decided, n.Record = day, &f.Record
	n.Tags = nil
	for _, t := range f.Tags {
		if c, err := decision.CleanTag(strings.ReplaceAll(t, " ", "-")); err == nil {
			n.Tags = append(n.Tags, c)
		}
	}
	id, err := im.Add(n, true)
	if err != nil {
		return Imported{Err: err}
	}
	im.known[want] = id
	return Imported{ID: id, Added: true}
}

// find returns the id of the decision that a reference names, "" for none.
func (im *importing) find(r Ref) string {
	numbered := ""
	for i, f := range im.items {
		switch {
		case r.ID != "" && f.ID == r.ID, r.Name != "" && f.Name == r.Name:
			return im.out[i].ID
		case r.Number > 0 && f.Number == r.Number && numbered == "":
			numbered = im.out[i].ID
		}
	}
	if numbered != "" {
		return numbered
	}
	found := ""
	for _, d := range im.State.Present() {
		switch {
		case r.ID != "" && d.ID == r.ID:
			return d.ID
		case r.Number > 0 && d.Record != nil && d.Record.Number == r.Number:
			if found != "" {
				return "" // ambiguous: records of two directories share the number
			}
			found = d.ID
		}
	}
	return found
}

// link records which decisions an item replaces and which replace it.
func (im *importing) link(i int) {
	id := im.out[i].ID
	note := func(id, old string) {
		if id == "" || old == "" || id == old {
			return
		}
		im.Link(id, old)
		if im.next[old] == "" {
			im.next[old] = id
		}
	}
	for _, r := range im.items[i].Replaces {
		note(id, im.find(r))
	}
	for _, r := range im.items[i].ReplacedBy {
		note(im.find(r), id)
	}
}

// place gives an added item its original status, and makes it replace decisions of the log.
func (im *importing) place(i int) error {
	f, did := &im.items[i], im.out[i]
	if !did.Added {
		return nil
	}
	to, next := im.becomes(f), ""
	switch to {
	case decision.Active:
		for old, next := range im.next {
			if d, err := im.State.Find(old); next == did.ID && err == nil && d.Status == decision.Active {
				if err := im.Place(old, decision.Superseded, f.Reason, did.ID); err != nil {
					return err
				}
			}
		}
	case decision.Superseded:
		next = im.next[did.ID]
	}
	if f.StatusReason == "" && next == "" {
		return nil
	}
	return im.Place(did.ID, to, f.StatusReason, next)
}
