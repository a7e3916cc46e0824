package record

import (
	"errors"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/likeness"
)

// Item is a decision that a file holds.
type Item struct {
	decision.New
	// ID, Was and Created are the id, the status and the day in the file, "" for none.
	// A draft is added for one that is in force or proposed: a person accepts it.
	ID           string
	Was          decision.Status
	Created      string
	Consequences string
	// Line is where it begins, from 1.
	Line int
}

// Read returns the decisions in a file: the one of a record, or the items of a page
// of lists that can be decisions.
func Read(text string) ([]Item, error) {
	if strings.Contains(strings.ToLower("\n"+text), "\n## decision") {
		f, err := Parse(text)
		return []Item{f}, err
	}
	var out []Item
	for _, f := range Items(text) {
		if clean, err := decision.Clean(f.Text); err == nil {
			f.Text = clean
			out = append(out, f)
		}
	}
	return out, nil
}

// Parse reads a record in Nygard's form or MADR's, ours among them.
func Parse(text string) (Item, error) {
	var f Item
	r := reader{found: &f, sections: map[string][]string{}}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	f.Title = r.title
	f.Text = r.section("decision", "decision outcome")
	f.Consequences = r.section("consequences", "### consequences", "positive consequences")
	if f.Text == "" {
		f.Text = r.title
	}
	f.Reason = r.section("context", "context and problem statement")
	if first, _, _ := strings.Cut(r.section("status"), "\n"); first != "" && f.Was == "" {
		f.Was = statusOf(first)
	}
	for _, name := range []string{"status", "more information"} {
		for _, l := range strings.Split(r.section(name), "\n") {
			r.fact(l)
		}
	}
	if _, err := decision.Clean(f.Text); err != nil || r.title == "" && len(r.sections) == 0 {
		return f, errors.New("read record: it has neither a title nor a decision")
	}
	f.Line = 1
	return f, nil
}

// reader goes through the lines of a record.
type reader struct {
	found    *Item
	title    string
	name     string // of the section
	front    bool   // inside of the front matter
	started  bool
	sections map[string][]string
}

func (r *reader) line(line string) {
	t := strings.TrimSpace(line)
	if t == "---" && (r.front || !r.started) {
		r.front, r.started = !r.front && !r.started, true
		return
	}
	if t != "" {
		r.started = true
	}
	switch {
	case r.front:
		r.fact(line)
	case strings.HasPrefix(t, sealMark):
	case strings.HasPrefix(t, "# ") && r.title == "":
		r.title = withoutNumber(strings.TrimSpace(t[2:]))
	case strings.HasPrefix(t, "## "):
		r.name = strings.ToLower(strings.TrimSpace(t[3:]))
		r.sections[r.name] = nil
	case strings.EqualFold(t, "### consequences"):
		r.name = strings.ToLower(t)
		r.sections[r.name] = nil
	case r.name == "":
		r.fact(line)
	default:
		if strings.HasPrefix(t, `\#`) || strings.HasPrefix(t, `\<`) {
			line = strings.TrimPrefix(t, `\`)
		}
		r.sections[r.name] = append(r.sections[r.name], line)
	}
}

// section is the text of the first of these sections that is not empty.
func (r *reader) section(names ...string) string {
	for _, n := range names {
		if text := strings.TrimSpace(strings.Join(r.sections[n], "\n")); text != "" {
			return text
		}
	}
	return ""
}

// fact reads a line such as "Tags: a, b".
func (r *reader) fact(line string) {
	name, v, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "*- "), ":")
	if !ok {
		return
	}
	v = strings.Trim(strings.TrimSpace(v), `"`)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "id":
		r.found.ID = v
	case "date":
		r.found.Created = v
	case "status":
		r.found.Was = statusOf(v)
	case "tags":
		r.found.Tags = parts(v)
	case "paths":
		r.found.Paths = parts(v)
	case "review":
		r.found.Review = v
	case "supersedes":
		r.found.Supersedes = linked(v)
	}
}

func parts(s string) []string {
	var out []string
	for _, p := range strings.Split(strings.Trim(s, "[]"), ",") {
		if p = strings.Trim(strings.TrimSpace(p), `"'`); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// linked is the text of a Markdown link, or the whole text.
func linked(s string) string {
	if rest, ok := strings.CutPrefix(s, "["); ok {
		s, _, _ = strings.Cut(rest, "]")
	}
	s, _, _ = strings.Cut(s, " ")
	return s
}

// withoutNumber is a title without a leading number, as in 12. Use tabs.
func withoutNumber(title string) string {
	n := len(title) - len(strings.TrimLeft(title, "0123456789"))
	if rest := title[n:]; n > 0 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " - ")) {
		return strings.TrimSpace(strings.TrimLeft(rest, ".:- "))
	}
	return title
}

// statusOf is the status that a word in a record means, "" for none.
func statusOf(word string) decision.Status {
	w := strings.ToLower(strings.Trim(strings.TrimSpace(word), "*_."))
	for prefix, s := range map[string]decision.Status{
		"accepted": decision.Active, "approved": decision.Active, "decided": decision.Active, "active": decision.Active, "done": decision.Active,
		"proposed": decision.Draft, "draft": decision.Draft, "pending": decision.Draft, "rejected": decision.Rejected, "declined": decision.Rejected,
		"superseded": decision.Superseded, "superceded": decision.Superseded, "deprecated": decision.Superseded, "replaced": decision.Superseded,
	} {
		if strings.HasPrefix(w, prefix) {
			return s
		}
	}
	return ""
}

// Items reads the lists of a page such as AGENTS.md: each item outside of code blocks,
// with the heading above it as its reason.
func Items(text string) []Item {
	var out []Item
	heading, fence := "", ""
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = strings.TrimRight(line, "\r\n")
		t := strings.TrimSpace(line)
		item := listItem(line)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case decision.CodeFence(t) != "":
			fence = decision.CodeFence(t)
		case strings.HasPrefix(t, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(t, "#"))
		case item != "" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t"):
			out = append(out, itemFound(item, heading, n))
		case t != "" && len(out) > 0 && strings.HasPrefix(line, "  ") && item == "":
			out[len(out)-1].Text += " " + t
		}
	}
	return out
}

// listItem is the text of an item of a list, with a bullet or a number. A task that is not
// done is a plan, not a decision.
func listItem(line string) string {
	if item := decision.ListItem(line); item != "" {
		if strings.HasPrefix(item, "[ ] ") {
			return ""
		}
		return item
	}
	t := strings.TrimSpace(line)
	rest := strings.TrimLeft(t, "0123456789")
	if n := len(t) - len(rest); n == 0 || n > 3 || len(rest) < 2 || !strings.HasPrefix(rest, ". ") && !strings.HasPrefix(rest, ") ") {
		return ""
	}
	return strings.TrimSpace(rest[2:])
}

// itemFound is an item of a list, without its check box.
func itemFound(text, heading string, line int) Item {
	f := Item{Line: line}
	f.Text = strings.TrimSpace(text)
	for _, box := range []string{"[x] ", "[X] "} {
		f.Text = strings.TrimPrefix(f.Text, box)
	}
	f.Reason = heading
	return f
}

// key is what two records have in common that are the same: the text, and the title where
// the record has one of its own.
func (f Item) key(title, text string) string {
	d := decision.Decision{Title: title, Text: text}
	return likeness.Normal(text) + "\n" + likeness.Normal(d.OwnTitle())
}

// AddDraft adds a draft of an item, or what it is where it does not bind, unless the log or the change has it already, and
// returns its id and whether it was added.
func AddDraft(e *decision.Editor, f Item) (id string, added bool, err error) {
	want := f.key(f.Title, f.Text)
	for _, d := range e.State.Present() {
		if f.key(d.Title, d.Text) == want {
			return d.ID, false, nil
		}
	}
	for _, ev := range e.Events() {
		if ev.Op == decision.OpAdd && ev.Data.Text != nil && ev.Data.Title != nil && f.key(*ev.Data.Title, *ev.Data.Text) == want {
			return ev.ID, false, nil
		}
	}
	n := f.New
	n.Status = decision.Draft
	if f.Was == decision.Rejected || f.Was == decision.Superseded {
		n.Status = f.Was
	}
	day := f.Created
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		day = ""
	}
	n.Extra = append(n.Extra, decision.RecordMembers(f.Consequences, day)...)
	if old, err := e.State.Find(n.Supersedes); err != nil || old.Removed || old.Status != decision.Active {
		n.Supersedes = "" // the superseded decision is not in this log
	}
	n.Tags = nil
	for _, t := range f.Tags {
		if c, err := decision.CleanTag(strings.ReplaceAll(t, " ", "-")); err == nil {
			n.Tags = append(n.Tags, c)
		}
	}
	id, err = e.Add(n, true)
	return id, err == nil, err
}
