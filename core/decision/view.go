package decision

import (
	"slices"
	"strings"

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
