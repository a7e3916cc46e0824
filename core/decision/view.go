package decision

import (
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Fields returns the names of what an event says, in order.
func (v EventView) Fields() []string {
	all := []string{"text", "title", "tags", "reason", "supersedes", "superseded_by", "conflicts", "note", "paths", "review"}
	return slices.DeleteFunc(all, func(name string) bool { return v.Said[name] == "" })
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
	said := map[string]string{
		"text": value(e.Data.Text), "title": value(e.Data.Title), "tags": listed(e.Data.Tags), "reason": value(e.Data.Reason),
		"supersedes": e.Data.Supersedes.ID, "superseded_by": value(e.Data.Next), "conflicts": listed(e.Data.Conflicts),
		"note": value(e.Data.Note), "paths": listed(e.Data.Paths), "review": value(e.Data.Review),
	}
	if e.Data.Text != nil {
		said["title"] = ""
	}
	maps.DeleteFunc(said, func(_, body string) bool { return body == "" || body == "[]" })
	return EventView{V: 1, Time: e.Time, ID: d.ID, Did: e.does(), Said: said, By: e.By, Actor: e.Actor, Key: e.Key, Line: e.Line}
}
