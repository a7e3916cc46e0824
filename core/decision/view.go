package decision

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Says returns the fields that an event sets, as pairs of their name in a View and their
// text.
func (e *Event) Says() [][2]string {
	d, title := &e.Data, ""
	if d.Text == nil {
		title = value(d.Title)
	}
	all := [][2]string{
		{"text", value(d.Text)},
		{"title", title},
		{"tags", listed(d.Tags)},
		{"reason", value(d.Reason)},
		{"supersedes", d.Supersedes.ID},
		{"superseded_by", value(d.Next)},
		{"conflicts", listed(d.Conflicts)},
		{"note", value(d.Note)},
		{"paths", listed(d.Paths)},
		{"review", value(d.Review)},
	}
	return slices.DeleteFunc(all, func(said [2]string) bool { return said[1] == "" || said[1] == "[]" })
}

// listed writes a list as one text, "" for one that is not set.
func listed(p *[]string) string {
	if p == nil {
		return ""
	}
	return "[" + strings.Join(*p, " ") + "]"
}

// Summary returns the decision as one terminal line: id, status, text and tags.
func (d *Decision) Summary() string {
	body := CutWord(text.TerminalLine(strings.ReplaceAll(d.Named(), "\n", " ⏎ ")), 100)
	status := string(d.Status)
	if d.Removed {
		status = "removed"
	}
	line := text.Printable(d.ID) + "  " + status + "  " + body
	for _, t := range d.Tags {
		line += " #" + text.TerminalLine(t)
	}
	if u := d.Unsettled(); u != "" {
		line += "  (side by side: " + text.TerminalLine(u) + ")"
	}
	return line
}

// Brief returns the decision as one line of a dialog: id and text.
func (d *Decision) Brief() string { return d.ID + " " + CutWord(text.LogLine(d.Text), 80) }

// EventView is the JSON form of an event.
type EventView struct {
	V     int               `json:"v"`
	Time  string            `json:"time"`
	ID    string            `json:"id"`
	Did   string            `json:"did"`
	Said  map[string]string `json:"said"`
	By    string            `json:"by"`
	Actor string            `json:"actor"`
	Key   string            `json:"key"`
	Line  int               `json:"line"`
	// Commit and Author come from git blame of the line, "" when git was not asked.
	Commit string `json:"commit"`
	Author string `json:"author"`
}

// View returns the JSON form of an event of d.
func (e *Event) View(d *Decision) EventView {
	v := EventView{V: 1, Time: e.Time, ID: d.ID, Did: e.does(), Said: map[string]string{}, By: e.By, Actor: e.Actor, Key: e.Key, Line: e.Line}
	for _, s := range e.Says() {
		v.Said[s[0]] = s[1]
	}
	return v
}

// ShownType is the custom type of the session messages that show decisions to a model.
const ShownType = "pictx.decisions"

// ShownDetails are the details of a message of ShownType. They record what it shows, so
// that a later message can list only the changes.
type ShownDetails struct {
	Kind  string      `json:"kind"` // snapshot, delta or governing
	Lines []ShownLine `json:"lines"`
	Gone  []string    `json:"gone,omitempty"`
	Told  []string    `json:"told,omitempty"` // ids of decisions that govern files of a turn
}

// The kinds of messages.
const (
	kindSnapshot = "snapshot"
	kindDelta    = "delta"
)

// ShownIn reads from the context at a leaf which decisions the model has been shown, and
// reports whether the context has a snapshot. A snapshot replaces everything before it.
func ShownIn(s message.Session, leaf string) (known Known, shown bool, err error) {
	known = Known{}
	for _, item := range s.Entries().Context(leaf) {
		if item.Head.CustomType != ShownType || item.Node == nil {
			continue
		}
		raw, err := s.Line(item.Node)
		if err != nil {
			return nil, false, fmt.Errorf("read entry %s: %w", item.Node.ID, err)
		}
		var d ShownDetails
		if json.Unmarshal(item.Node.Details.Of(raw), &d) != nil {
			continue
		}
		if d.Kind == kindSnapshot {
			known, shown = Known{}, true
		}
		Delta{Added: d.Lines, Gone: d.Gone}.Apply(known)
	}
	return known, shown, nil
}

// News returns the text to show the model next, "" for nothing: the whole projection when
// its context has no snapshot, otherwise the changes.
func (s *State) News(p Projection, known Known, shown bool) (string, ShownDetails) {
	if !shown {
		return p.Text(), ShownDetails{Kind: kindSnapshot, Lines: p.Lines}
	}
	d := s.Since(known, p)
	if d.Empty() {
		return "", ShownDetails{}
	}
	return d.Text(), ShownDetails{Kind: kindDelta, Lines: d.Added, Gone: d.Gone}
}
