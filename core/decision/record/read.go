package record

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// Item is a decision found in a file.
type Item struct {
	decision.New
	// File is the path of the file; Name is its base name when the file is a record.
	File, Name string
	// Was and Created are the status and the day given in the file, "" for none. An item
	// that is in force or proposed is added as a draft, for a person to accept.
	Was          decision.Status
	Created      string
	StatusReason string
	// Unknown is what the file gives as the status when that is none of those known.
	Unknown      string
	Consequences string
	decision.Record
	// Replaces are the records that it supersedes, ReplacedBy those that supersede it.
	Replaces, ReplacedBy []Ref
	// Line is its first line, from 1.
	Line int
}

// Ref names another record by file name, number or id. Unknown parts are empty.
type Ref struct {
	Name, ID string
	Number   int
}

// maxMore bounds the other parts of a record, besides decision, context and title, in
// bytes.
const maxMore = 64 << 10

// Found is what a file contains.
type Found struct {
	Items []Item
	// Tasks counts the unchecked tasks, which are plans.
	Tasks int
	// Bad are the items that cannot be decisions.
	Bad []BadItem
}

// BadItem is a list item that cannot be a decision.
type BadItem struct {
	Line int
	Why  error
}

// From sets the file of every item and returns it, as a path relative to root if it is
// inside of that.
func (f *Found) From(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		file = filepath.ToSlash(rel)
	}
	for i := range f.Items {
		f.Items[i].File = file
	}
	return file
}

// Left lists what was left out or not understood, and why.
func (f *Found) Left() []string {
	var out []string
	if f.Tasks > 0 {
		out = append(out, text.Count(f.Tasks, "open task")+" left out: what is still to be done is no decision")
	}
	for _, item := range f.Items {
		if item.Was == "" && item.Unknown != "" {
			out = append(out, fmt.Sprintf("unknown status %q: a draft until a person accepts it", decision.CutWord(text.TerminalLine(item.Unknown), 80)))
		}
	}
	for _, bad := range f.Bad {
		out = append(out, fmt.Sprintf("line %d is left out: %v", bad.Line, bad.Why))
	}
	return out
}

// Read returns the decisions in a file: the one of a record, or those of the lists of a
// page.
func Read(file, page string) (Found, error) {
	if strings.Contains(strings.ToLower("\n"+page), "\n## decision") {
		f, err := Parse(file, page)
		return Found{Items: []Item{f}}, err
	}
	var out Found
	items, tasks := Items(page)
	out.Tasks = tasks
	for _, f := range items {
		clean, err := decision.Clean(f.Text)
		if err != nil {
			out.Bad = append(out.Bad, BadItem{f.Line, err})
			continue
		}
		f.Text, f.File = clean, file
		out.Items = append(out.Items, f)
	}
	return out, nil
}

// Parse parses a record in Nygard's form or MADR's, including those that pictx writes.
// Sections and lines that no field of a decision can hold go into its Record.
func Parse(file, page string) (Item, error) {
	f := Item{File: file, Name: path.Base(strings.ReplaceAll(file, `\`, "/")), Line: 1}
	r := reader{found: &f, at: map[string]int{}}
	r.open("")
	for line := range strings.Lines(strings.TrimPrefix(page, "\ufeff")) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	f.Number = numberOf(f.Name)
	if n, rest := numbered(r.title); n > 0 && (f.Number == 0 || f.Number == n) {
		f.Number, r.title = n, rest
	}
	f.Title = r.title
	f.Text = r.take("decision", "decision outcome")
	f.Consequences = r.take("consequences", "### consequences")
	if f.Text == "" {
		f.Text = r.title
	}
	f.Reason = r.take("context", "context and problem statement")
	f.status(r.take("status"))
	for _, s := range r.sections {
		if body := s.text(); body != "" && !s.taken {
			f.Sections = append(f.Sections, [2]string{s.heading, body})
		}
	}
	if _, err := decision.Clean(f.Text); err != nil || r.title == "" && len(r.sections) < 2 {
		return f, errors.New("read record: it has neither a title nor a decision")
	}
	return f, f.checkMore()
}

// checkMore checks the parts that no field of a decision can hold.
func (f *Item) checkMore() error {
	more := "-" + f.Consequences
	for _, m := range append(f.Facts, f.Sections...) {
		more += "\n" + m[0] + "\n" + m[1]
	}
	if _, err := decision.CleanTo(more, maxMore); err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	return nil
}

// section is a heading, including its # signs, and the lines below it.
type section struct {
	heading string
	lines   []string
	taken   bool
}

func (s *section) text() string { return strings.TrimSpace(strings.Join(s.lines, "\n")) }

// reader parses the lines of a record.
type reader struct {
	found    *Item
	title    string
	front    bool // inside the front matter
	started  bool
	fence    string // the fence of the current code block
	sections []section
	at       map[string]int // indexes of sections by their lower-case names
	parent   string         // the name of the current second-level section
}

// open starts a section, or continues the one with that name.
func (r *reader) open(heading string) {
	name := strings.ToLower(strings.TrimPrefix(heading, "## "))
	if !strings.HasPrefix(heading, "###") {
		r.parent = name
	}
	if _, known := r.at[name]; !known {
		r.at[name] = len(r.sections)
		r.sections = append(r.sections, section{heading: heading})
		return
	}
	for n := 2; ; n++ { // a second section with the same name stays separate
		if other := fmt.Sprintf("%s\n%d", name, n); r.at[other] == 0 {
			r.at[other] = len(r.sections)
			r.sections = append(r.sections, section{heading: heading})
			return
		}
	}
}

// add adds a line to the open section.
func (r *reader) add(line string) {
	s := &r.sections[len(r.sections)-1]
	s.lines = append(s.lines, line)
}

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
	case strings.HasPrefix(t, sealMark):
	case strings.HasPrefix(t, "# ") && r.title == "":
		r.title = strings.TrimSpace(t[2:])
	case strings.HasPrefix(t, "## "), strings.HasPrefix(t, "### ") && divided(r.parent):
		r.open(heading(t))
	case r.parent == "" && r.fact(t):
	default:
		r.add(unescaped(line))
	}
}

// divided reports whether third-level headings in a section start sections of their own.
func divided(name string) bool {
	return name == "decision" || name == "decision outcome" || name == "consequences"
}

// heading normalizes a heading and removes the comment that some templates put after it.
func heading(t string) string {
	t, _, _ = strings.Cut(t, "<!--")
	signs, rest, _ := strings.Cut(strings.TrimSpace(t), " ")
	return signs + " " + strings.TrimSpace(rest)
}

// closes reports whether a line ends the code block that fence began.
func closes(t, fence string) bool {
	return strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == ""
}

// take returns the text of the first of these sections that is not empty.
func (r *reader) take(names ...string) string {
	for _, n := range names {
		i, ok := r.at[n]
		if !ok {
			continue
		}
		if body := r.sections[i].text(); body != "" {
			r.sections[i].taken = true
			return body
		}
	}
	return ""
}

// frontMatter parses a line of front matter: a name with a value, or a list item.
func (r *reader) frontMatter(line string) {
	item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
	facts := r.found.Facts
	switch {
	case isItem && len(facts) > 0:
		last := &facts[len(facts)-1]
		last[1] = strings.TrimPrefix(last[1]+", "+unquoted(item), ", ")
	default:
		r.fact(strings.TrimSpace(line))
	}
}

// compiled returns an expression that is built at its first use: most runs read no record.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// factForm matches a line such as "Tags: a, b" or "* Status: accepted".
var factForm = compiled(`^(?:[*-]\s+)?([A-Za-z][A-Za-z0-9 _-]{0,38}[A-Za-z0-9])\s*:(?:\s+(.*))?$`)

// fact parses a line with a name and a value, and reports whether it is one.
func (r *reader) fact(line string) bool {
	m := factForm().FindStringSubmatch(line)
	if m == nil {
		return false
	}
	v := unquoted(m[2])
	switch f := r.found; {
	case f.known(m[1], v):
	default:
		if strings.HasPrefix(v, "[") && strings.HasSuffix(v, "]") {
			v = strings.Join(parts(v), ", ")
		}
		f.Facts = append(f.Facts, [2]string{m[1], v})
	}
	return true
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

// linkLine matches a line that names a record which this one supersedes, or which
// supersedes it, in the spellings of adr-tools and others.
var linkLine = compiled(`(?i)^super[cs]ede(s|d by)\b:?\s*(.*)$`)

// status parses a status section: its first line, its links, and any remaining text.
func (f *Item) status(body string) {
	lines := strings.Split(statusComment().ReplaceAllString(body, ""), "\n")
	first := true
	for i, l := range lines {
		t := strings.TrimSpace(l)
		m := linkLine().FindStringSubmatch(t)
		switch {
		case t == "":
			continue
		case m != nil && len(refs(m[2])) > 0 && strings.EqualFold(m[1], "s"):
			f.Replaces = append(f.Replaces, refs(m[2])...)
			continue
		case m != nil && len(refs(m[2])) > 0:
			f.ReplacedBy = append(f.ReplacedBy, refs(m[2])...)
			f.Was = decision.Superseded
			continue
		case first && (openBox().MatchString(t) || statusTable().MatchString(t) && statusOf(t) == ""):
			continue
		case first:
			first = false
			if f.firstStatus(t) {
				continue
			}
		}
		f.StatusReason = strings.TrimSpace(strings.Join(lines[i:], "\n"))
		return
	}
}

// firstStatus takes the status from the first line of a section, and reports whether the line
// says no more than that.
func (f *Item) firstStatus(line string) bool {
	was := statusOf(line)
	if was == "" {
		if f.Was == "" {
			f.Unknown = line
		}
		return false
	}
	if f.Was == "" {
		f.Was = was
	}
	more := slices.ContainsFunc(strings.Fields(statusText(line)), func(w string) bool { return w != statusWords(was) && w != string(was) })
	return was == f.Was && !more
}

// refs returns the records that a line names by links, plain numbers or ids.
func refs(line string) []Ref {
	var out []Ref
	link := regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)\)`)
	for _, m := range link.FindAllStringSubmatch(line, -1) {
		r := plainRef(m[1])
		r.Name = path.Base(m[2])
		if n := numberOf(r.Name); n > 0 {
			r.Number = n
		}
		out = append(out, r)
	}
	if len(out) > 0 {
		return out
	}
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		if r := plainRef(word); r != (Ref{}) {
			out = append(out, r)
		}
	}
	return out
}

// plainRef parses a reference: ADR-0005, 0005, "3. Use tabs", or the id of a decision.
func plainRef(label string) Ref {
	if id := strings.TrimSpace(label); strings.HasPrefix(id, "D-") {
		id, _, _ = strings.Cut(id, " ")
		return Ref{ID: id}
	}
	m := regexp.MustCompile(`(?i)^(?:M?ADR[- ]?)?#?0*(\d{1,6})\b`).FindStringSubmatch(strings.TrimSpace(label))
	if m == nil {
		return Ref{}
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return Ref{}
	}
	return Ref{Number: n}
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

// numberedTitle matches a title with a number, such as "12. Use tabs" or "ADR-0012: Use tabs".
var numberedTitle = compiled(`(?i)^(?:M?ADR[- ]?)?(\d{1,6})(?:\.|:| -) \s*(.*)$`)

// numbered splits the number off a title; 0 and the whole title when there is none.
func numbered(title string) (int, string) {
	if m := numberedTitle().FindStringSubmatch(title); m != nil {
		return numberOf(m[1]), m[2]
	}
	return 0, title
}

var (
	// statusComment matches comments and struck-through words.
	statusComment = compiled(`(?s)<!--.*?-->|~~.*?~~`)
	// statusTable matches the head and the rule of a table, openBox an empty check box.
	statusTable = compiled(`(?i)^(\|[\s|:-]+\|?|\|\s*status\s*\|.*)$`)
	openBox     = compiled(`^[-*] \[ \] `)
	// statusFrame matches what may surround the word: a badge's name, the label, a check box, the day.
	statusFrame = compiled(`(?i)!?\[[^\]]*\]\([^)]*status-([a-z]+)[^)]*\)|^[*_\s]*status[*_]*\s*:|^\|\s*status\s*\||\[x\]|\d{4}-\d{2}-\d{2}`)
	// statusWord matches a word.
	statusWord = compiled(`[a-z]+`)
	// statusArrow separates a status from the one that followed it.
	statusArrow = compiled(`→|->|=>`)
)

// statusText returns the words of a status line without its frame, in lower case.
func statusText(line string) string {
	line = statusFrame().ReplaceAllString(statusComment().ReplaceAllString(line, ""), " $1 ")
	steps := statusArrow().Split(line, -1)
	return strings.Join(statusWord().FindAllString(strings.ToLower(steps[len(steps)-1]), -1), " ")
}

// statusOf translates a status line of a record. It is "" for one without a known word, with
// words for different statuses, or that denies one.
func statusOf(line string) decision.Status {
	var found decision.Status
	for i, w := range strings.Fields(statusText(line)) {
		is := statusNamed(w)
		switch {
		case w == "not":
			return ""
		case is == "" || found == "" && i >= maxStatusWords || found == decision.Superseded:
		case found != "" && is != found:
			return ""
		default:
			found = is
		}
	}
	return found
}

// maxStatusWords is the number of words among which the first known one must be: a sentence
// further on tells a story.
const maxStatusWords = 3

// statusNamed translates a word for a status, "" for any other.
func statusNamed(word string) decision.Status {
	switch word {
	case "accepted", "approved", "decided", "active", "done", "implemented":
		return decision.Active
	case "proposed", "draft", "pending":
		return decision.Draft
	case "rejected", "declined":
		return decision.Rejected
	case "superseded", "superceded", "deprecated", "replaced":
		return decision.Superseded
	}
	return ""
}
