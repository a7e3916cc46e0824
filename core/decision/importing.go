package decision

import (
	"fmt"
	"strings"
)

// Imported is a decision that was found in a file.
type Imported struct {
	New
	// ID and Status are what the file says, "" for nothing. What is imported is a
	// draft all the same.
	ID      string
	Was     Status
	Created string
	// Line is where it stands, from 1.
	Line int
}

// ParseRecord reads a decision record, as Nygard or MADR have it; ours among them.
func ParseRecord(text string) (Imported, error) {
	var im Imported
	r := recordReader{im: &im, sections: map[string][]string{}}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	im.Title = r.title
	im.Text = r.section("decision", "decision outcome")
	if im.Text == "" {
		im.Text = r.title
	}
	im.Reason = r.section("context", "context and problem statement")
	if first, _, _ := strings.Cut(r.section("status"), "\n"); first != "" && im.Was == "" {
		im.Was = statusOf(first)
	}
	for _, l := range strings.Split(r.section("more information"), "\n") {
		r.fact(l)
	}
	if _, err := Clean(im.Text); err != nil || r.title == "" && len(r.sections) == 0 {
		return im, fmt.Errorf("read record: it has neither a title nor a decision")
	}
	im.Line = 1
	return im, nil
}

// recordReader goes through the lines of a record.
type recordReader struct {
	im       *Imported
	title    string
	name     string // of the section
	front    bool   // inside of the front matter
	started  bool
	sections map[string][]string
}

func (r *recordReader) line(line string) {
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
	case r.name == "":
		r.fact(line)
	default:
		if strings.HasPrefix(t, `\#`) || strings.HasPrefix(t, `\<`) {
			line = strings.TrimPrefix(t, `\`)
		}
		r.sections[r.name] = append(r.sections[r.name], line)
	}
}

// section is the text of the first of the sections that is there.
func (r *recordReader) section(names ...string) string {
	for _, n := range names {
		if text := strings.TrimSpace(strings.Join(r.sections[n], "\n")); text != "" {
			return text
		}
	}
	return ""
}

// fact reads a line such as "Tags: a, b".
func (r *recordReader) fact(line string) {
	name, v, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "*- "), ":")
	if !ok {
		return
	}
	v = strings.Trim(strings.TrimSpace(v), `"`)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "id":
		r.im.ID = v
	case "date":
		r.im.Created = v
	case "status":
		r.im.Was = statusOf(v)
	case "tags":
		r.im.Tags = parts(v)
	case "paths":
		r.im.Paths = parts(v)
	case "review":
		r.im.Review = v
	case "supersedes":
		r.im.Supersedes = linked(v)
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

// linked is the text of a Markdown link, or the text itself.
func linked(s string) string {
	if rest, ok := strings.CutPrefix(s, "["); ok {
		s, _, _ = strings.Cut(rest, "]")
	}
	s, _, _ = strings.Cut(s, " ")
	return s
}

// withoutNumber takes the number off a title: 12. Use tabs.
func withoutNumber(title string) string {
	n := len(title) - len(strings.TrimLeft(title, "0123456789"))
	if rest := title[n:]; n > 0 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " - ")) {
		return strings.TrimSpace(strings.TrimLeft(rest, ".:- "))
	}
	return title
}

// statusOf is the status that a word in a record means, "" for none.
func statusOf(word string) Status {
	w := strings.ToLower(strings.Trim(strings.TrimSpace(word), "*_."))
	for prefix, s := range map[string]Status{
		"accepted": Active, "approved": Active, "decided": Active, "active": Active, "done": Active,
		"proposed": Draft, "draft": Draft, "pending": Draft, "rejected": Rejected, "declined": Rejected,
		"superseded": Superseded, "superceded": Superseded, "deprecated": Superseded, "replaced": Superseded,
	} {
		if strings.HasPrefix(w, prefix) {
			return s
		}
	}
	return ""
}

// ParseBullets reads the lists of a page such as AGENTS.md: each item that no block
// of code holds, with the headings above it as its reason.
func ParseBullets(text string) []Imported {
	var out []Imported
	heading, fence := "", ""
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = strings.TrimRight(line, "\r\n")
		t := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case fenceOf(t) != "":
			fence = fenceOf(t)
		case strings.HasPrefix(t, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(t, "#"))
		case bullet(line) != "" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t"):
			out = append(out, bulletOf(bullet(line), heading, n))
		case t != "" && len(out) > 0 && out[len(out)-1].Line > 0 && strings.HasPrefix(line, "  ") && bullet(line) == "":
			out[len(out)-1].Text += " " + t
		}
	}
	return out
}

func bulletOf(text, heading string, line int) Imported {
	im := Imported{Line: line}
	im.Text = strings.TrimSpace(text)
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		im.Text = strings.TrimPrefix(im.Text, box)
	}
	im.Reason = heading
	return im
}
