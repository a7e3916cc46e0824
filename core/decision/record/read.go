package record

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// Item is the decision of a record.
type Item struct {
	decision.New
	// File is the path of the file, Name its base name.
	File, Name string
	// Was and Created are the status and the day given in the file, "" for none. An item
	// that is in force or proposed is added as a draft, for a person to accept.
	Was          decision.Status
	Created      string
	StatusReason string
	// Unknown is what the file gives as the status when that is none of those known.
	Unknown string
	decision.Record
	// Replaces are the records that it supersedes, ReplacedBy those that supersede it.
	Replaces, ReplacedBy []Ref
}

// Ref names another record by file name, number or id. Unknown parts are empty.
type Ref struct {
	Name, ID string
	Number   int
}

// maxMore bounds the other parts of a record, besides decision, context and title, in
// bytes.
const maxMore = 64 << 10

// Left says why the record has no status that is understood, "" when it has one.
func (f *Item) Left() string {
	switch {
	case f.Was != "":
		return ""
	case f.Unknown == "":
		return "no status: a draft until a person accepts it"
	}
	return fmt.Sprintf("unknown status %q: a draft until a person accepts it", decision.CutWord(text.TerminalLine(f.Unknown), 80))
}

// Read is Parse for a file of which it is not known whether it is a record.
func Read(file, page string) (Item, error) {
	if !strings.Contains(strings.ToLower("\n"+page), "\n## decision") {
		return Item{}, errors.New("read record: it has no section Decision")
	}
	return Parse(file, page)
}

// Parse parses a record in Nygard's form or MADR's, including those that pictx writes. Lines
// and sections that no field of a decision can hold go into its Record.
func Parse(file, page string) (Item, error) {
	f := Item{File: file, Name: path.Base(strings.ReplaceAll(file, `\`, "/"))}
	r := reader{found: &f, parts: map[string][]string{}}
	for line := range strings.Lines(strings.TrimPrefix(page, "\ufeff")) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	f.Number = numberOf(f.Name)
	if n, rest := numbered(r.title); n > 0 && (f.Number == 0 || f.Number == n) {
		f.Number, r.title = n, rest
	}
	f.Title = r.title
	part := func(name string) string { return strings.TrimSpace(strings.Join(r.parts[name], "\n")) }
	f.Text = cmp.Or(part("decision"), r.title)
	f.Consequences, f.Reason = part("consequences"), part("context")
	f.status(part("status"))
	if f.More = part(""); f.More != "" && !strings.HasPrefix(f.More, "#") {
		f.More = moreHeading + "\n\n" + f.More
	}
	if _, err := decision.Clean(f.Text); err != nil || r.title == "" && len(r.parts) == 0 {
		return f, errors.New("read record: it has neither a title nor a decision")
	}
	return f, f.checkMore()
}

// checkMore checks the parts that no field of a decision can hold.
func (f *Item) checkMore() error {
	more := "-" + f.Consequences + f.More
	for _, m := range f.Facts {
		more += "\n" + m[0] + "\n" + m[1]
	}
	if _, err := decision.CleanTo(more, maxMore); err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	return nil
}

// reader parses the lines of a record.
type reader struct {
	found   *Item
	title   string
	front   bool // inside the front matter
	started bool
	fence   string // the fence of the current code block
	parent  string // the current second-level heading, in lower case
	// parts are the sections that a field holds, by their names; that of "" is the text of all
	// others with their headings. to is the one that is being read.
	parts map[string][]string
	to    string
}

// open begins a section. One that no field holds, or the second of a name, is part of the
// rest.
func (r *reader) open(line string) {
	t, _, _ := strings.Cut(line, "<!--") // some templates explain the section there
	signs, name, _ := strings.Cut(strings.TrimSpace(t), " ")
	name = strings.ToLower(strings.TrimSpace(name))
	if signs == "##" {
		r.parent = name
	}
	r.to = map[string]string{
		"## decision": "decision", "## decision outcome": "decision", "## status": "status", "## context": "context",
		"## context and problem statement": "context", "## consequences": "consequences", "### consequences": "consequences",
	}[signs+" "+name]
	if r.parts[r.to] != nil {
		r.to = ""
	}
	if r.to == "" {
		r.add(strings.TrimSpace(t))
		return
	}
	r.add("") // there is one
}

// add adds a line to what is being read.
func (r *reader) add(line string) { r.parts[r.to] = append(r.parts[r.to], line) }

func (r *reader) line(line string) {
	t := strings.TrimSpace(line)
	if t == "---" && (r.front || !r.started) {
		r.front, r.started = !r.front && !r.started, true
		return
	}
	r.started = r.started || t != ""
	switch {
	case r.front:
		r.frontMatter(line)
	case r.fence != "":
		if closes(t, r.fence) {
			r.fence = ""
		}
		r.add(line)
	case text.CodeFence(t) != "":
		r.fence = text.CodeFence(t)
		r.add(line)
	case strings.HasPrefix(t, "# ") && r.title == "":
		r.title = strings.TrimSpace(t[2:])
	case strings.HasPrefix(t, "## "), strings.HasPrefix(t, "### ") && divided(r.parent):
		r.open(line)
	case r.parent == "" && r.fact(t):
	case r.to == "":
		r.add(line)
	default:
		r.add(unescaped(line))
	}
}

// divided reports whether third-level headings in a section start sections of their own.
func divided(name string) bool {
	return name == "decision" || name == "decision outcome" || name == "consequences"
}

// closes reports whether a line ends the code block that fence began.
func closes(t, fence string) bool {
	return strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == ""
}

// frontMatter parses a line of front matter: a name with a value, or a list item.
func (r *reader) frontMatter(line string) {
	item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
	if n := len(r.found.Facts); isItem && n > 0 {
		last := &r.found.Facts[n-1]
		last[1] = strings.TrimPrefix(last[1]+", "+unquoted(item), ", ")
		return
	}
	r.fact(strings.TrimSpace(line))
}

// fact parses a line with a name and a value, such as "Tags: a, b" or "* Status: accepted",
// and reports whether it is one.
func (r *reader) fact(line string) bool {
	for _, bullet := range []string{"* ", "- "} {
		line = strings.TrimSpace(strings.TrimPrefix(line, bullet))
	}
	name, v, ok := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	if !ok || !isName(name) || v != "" && !unicode.IsSpace(rune(v[0])) {
		return false
	}
	v = unquoted(v)
	if !r.found.known(name, v) {
		if strings.HasPrefix(v, "[") && strings.HasSuffix(v, "]") {
			v = strings.Join(parts(v), ", ")
		}
		r.found.Facts = append(r.found.Facts, [2]string{name, v})
	}
	return true
}

// isName reports whether a text can be the name of a fact: a few plain words.
func isName(s string) bool {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _-]{1,39}$`).MatchString(s)
}

// known stores a fact that a decision has a field for, and reports whether it has.
func (f *Item) known(name, v string) bool {
	switch strings.ToLower(name) {
	case "id":
		f.ID = v
	case "date":
		f.Created = v
	case "status":
		f.status(v)
	case "tags":
		f.Tags = parts(v)
	case "paths":
		f.Paths = parts(v)
	case "review":
		f.Review = v
	case "supersedes":
		f.Replaces = append(f.Replaces, refs(v)...)
	case "superseded by":
		f.ReplacedBy = append(f.ReplacedBy, refs(v)...)
	default:
		return false
	}
	return true
}

// parts splits a comma-separated list, with or without brackets.
func parts(s string) []string {
	var out []string
	for _, p := range strings.Split(strings.Trim(s, "[]"), ",") {
		if p = strings.Trim(strings.TrimSpace(p), `"'`); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// numbered splits the number off a title such as "12. Use tabs" or "ADR-0012: Use tabs"; 0
// and the whole title when there is none.
func numbered(title string) (int, string) {
	form := regexp.MustCompile(`(?i)^(?:M?ADR[- ]?)?(\d{1,6})(?:\.|:| -) \s*(.*)$`)
	if m := form.FindStringSubmatch(title); m != nil {
		return numberOf(m[1]), m[2]
	}
	return 0, title
}
