package kota

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

// countsOf returns counts, largest first.
func countsOf(n map[string]int) []Count {
	out := make([]Count, 0, len(n))
	for name, count := range n {
		out = append(out, Count{name, count})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return out
}

// safe returns a name from a file as one line without hidden characters.
func safe(s string) string { return fence.OneLine(s, 0) }

// number formats a number with a noun.
func number[N int | Number](n N, noun string) string {
	if !Number(n).Known() {
		return "an unknown number of " + text.Plural(noun)
	}
	return text.CountPlain(int(n), noun)
}

// More is the command that shows more of an answer, without its offset.
type More string

func (m More) at(offset int) string { return fmt.Sprintf("%s --offset %d", m, offset) }

// block lays out a window of a list.
func block[T any](title string, list []T, w Window, m More, grouped bool, line func(T) Item) Block {
	part, page := Cut(list, w.Offset, w.Limit, len(list))
	b := Block{Title: title, Offset: page.Offset, Left: page.Omitted, More: m.at, Grouped: grouped, Items: make([]Item, 0, len(part))}
	for _, x := range part {
		b.Items = append(b.Items, line(x))
	}
	return b
}

// lineList formats line numbers after a colon: ":3,7".
func lineList(lines []int) string {
	sep, out := byte(':'), make([]byte, 0, 8*len(lines))
	for _, l := range lines {
		out = strconv.AppendInt(append(out, sep), int64(l), 10)
		sep = ','
	}
	return string(out)
}

// remarks joins those remarks on a line that say something.
func remarks(list ...string) string {
	said := strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), ", ")
	if said == "" {
		return ""
	}
	return "  " + said
}

// when returns a remark that does not always apply.
func when(applies bool, remark string) string {
	if applies {
		return remark
	}
	return ""
}

// of returns a remark that names something of the project, "" when there is nothing.
func of(remark, name string) string { return when(name != "", remark+safe(name)) }

// some returns the first names of a list, at most this many, and the number of others.
func some(list []string, most int, separator string) string {
	text := strings.Join(list[:min(most, len(list))], separator)
	if n := len(list) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return safe(text)
}

// fewNames is how many names are listed in passing.
const fewNames = 4

// dep formats a file of one side.
func dep(d Dep) Item {
	kinds := slices.DeleteFunc(slices.Clone(d.Kinds), func(k string) bool { return k == "import" })
	text := "  " + safe(d.File) + lineList(d.Lines) + remarks(
		when(d.Distance > 1, fmt.Sprintf("distance %d", d.Distance)), strings.Join(kinds, ", "), when(d.TypeOnly, "types only"),
		when(d.Inferred, "inferred"), when(d.Test, "test"), when(d.Support, "test support"),
		of("via ", d.Via), of("takes ", some(d.Takes, fewNames, ", ")), safe(d.Label),
	)
	return Item{Text: text, File: d.File}
}

// testDep formats a file in a list of tests, without the mark that it is a test.
func testDep(d Dep) Item {
	d.Test = false
	return dep(d)
}

// Text lays the answer out. more is the command without an offset.
func (d Deps) Text(w Window, more More) Text {
	t := Text{Verdict: safe(d.File), Footer: d.footer()}
	if s := d.Dependents; s != nil {
		t.Verdict += ": " + number(s.Total, "dependent") + " (" + split(s) + ")"
		title := "dependents, most important first:"
		if s.ViaBarrels != 0 {
			title = fmt.Sprintf("dependents, %d direct, %v through barrels, those that matter most first:", s.Direct, s.ViaBarrels)
		}
		t.Blocks = append(t.Blocks, side(title, s, w, more+" --direction dependents"))
	}
	if s := d.Dependencies; s != nil {
		sep := ": "
		if d.Dependents != nil {
			sep = " · "
		}
		t.Verdict += sep + number(s.Total, "dependency")
		t.Blocks = append(t.Blocks, side("dependencies:", s, w, more+" --direction dependencies"))
	}
	if d.Depth > 1 {
		t.Verdict += fmt.Sprintf(" · depth %d", d.Depth)
	}
	if d.InCycle > 0 {
		t.Verdict += fmt.Sprintf(" · in a cycle of %d files", d.InCycle)
	}
	if d.Gone {
		t.Verdict += " · it no longer exists: these imports are broken"
	}
	if d.Partial {
		t.Verdict += " · partly read: it has syntax errors"
	}
	if len(d.Unresolved) > 0 {
		title := "not found:"
		if d.Unresolved[0].Line == 0 {
			title = "not followed, packages among them:"
		}
		t.Blocks = append(t.Blocks, block(title, d.Unresolved, Window{}, more, false, func(m Missing) Item {
			if m.Line == 0 {
				return Item{Text: "  " + safe(m.Spec)}
			}
			return Item{Text: fmt.Sprintf("  %s on line %d", safe(m.Spec), m.Line)}
		}))
	}
	if len(d.External) > 0 {
		t.Blocks = append(t.Blocks, Block{Items: []Item{{Text: "packages: " + safe(strings.Join(d.External, ", "))}}, More: more.at})
	}
	return t
}

func split(s *Side) string {
	text := fmt.Sprintf("%d production, %d test", s.Production, s.Tests)
	if s.Support > 0 {
		text += fmt.Sprintf(", %d test support", s.Support)
	}
	if s.Inferred != 0 {
		text += fmt.Sprintf(", %v inferred", s.Inferred)
	}
	return text
}

func side(title string, s *Side, w Window, more More) Block {
	b := block(title, s.List, w, more, true, dep)
	if len(s.List) == 0 {
		b.Title = ""
	}
	if hidden := s.Total - len(s.List); hidden > 0 {
		b.Title = strings.TrimSuffix(title, ":") + fmt.Sprintf(" (%d not asked for):", hidden)
	}
	return b
}

// Text lays the answer out.
func (im Impact) Text(w Window, more More) Text {
	t := Text{Footer: im.footer()}
	t.Verdict = fmt.Sprintf("risk %s: %s · %s changed", im.Risk, strings.Join(im.Reasons, "; "), number(im.Changed, "file"))
	if im.Total > 0 {
		t.Verdict += fmt.Sprintf(", %s (%d direct)", number(im.Total, "dependent"), im.Direct)
	}
	if im.Support > 0 {
		t.Verdict += fmt.Sprintf(", %s of test support", number(im.Support, "file"))
	}
	if len(im.Names) > 0 {
		t.Verdict += " · changed: " + some(im.Names, fewNames, ", ")
	}
	missing := func(m Missing) Item {
		return Item{Text: fmt.Sprintf("  %s:%d  %s", safe(m.File), m.Line, safe(m.Spec)), File: m.File}
	}
	add := func(title string, n int, b Block) {
		if n > 0 {
			b.Title = title
			t.Blocks = append(t.Blocks, b)
		}
	}
	only := func(list string) More { return more + More(" --list "+list) }
	add("names that clash:", len(im.Clashes), block("", im.Clashes, Window{}, more, false, func(s string) Item { return Item{Text: "  " + safe(s)} }))
	add("imports that break:", len(im.Broken), block("", im.Broken, w, only("breaks"), true, missing))
	deps := func(list []Dep, name string, line func(Dep) Item) Block {
		b := block("", list, w, only(name), true, line)
		if im.short && w.Offset == 0 {
			b.Near = fewDeps
			for b.Near < len(list) && list[b.Near].Distance <= 1 {
				b.Near++
			}
		}
		return b
	}
	add("tests to run, those of the file and those that use what changed first:", len(im.Tests), deps(im.Tests, "tests", testDep))
	add("dependents, those that use what changed first:", len(im.Dependents), deps(im.Dependents, "dependents", dep))
	add("exports, with the files that use them:", len(im.Exports), im.exports(w, only("surface")))
	return t
}

// fewDeps is how many files an impact lists that only reach what changed through others.
const fewDeps = 10

// exports lists the exported names; those that nothing uses are one line unless the list alone is asked for.
func (im Impact) exports(w Window, more More) Block {
	list := im.Exports
	unused := slices.IndexFunc(list, func(x Export) bool { return x.Used == 0 })
	if !im.short || unused < 0 {
		unused = len(list)
	}
	b := block("", list[:unused], w, more, false, func(x Export) Item {
		return Item{Text: fmt.Sprintf("  %s %d  %s", safe(x.Name), x.Used, safe(x.File)), File: x.File}
	})
	if rest := list[unused:]; len(rest) > 0 {
		var names []string
		for _, x := range rest {
			names = append(names, x.Name)
		}
		b.Items = append(b.Items, Item{Text: "  used by no other file: " + some(names, fewNames, ", "), File: rest[0].File})
	}
	return b
}

// Text lays the answer out.
func (b Briefing) Text(w Window, more More) Text {
	t := Text{Footer: b.footer()}
	if len(b.Files) > 0 {
		t.Footer += " · more: " + string(command("pictx kota deps").words(b.Files[0].File))
	}
	t.Verdict = fmt.Sprintf("%s: %s, %s", number(len(b.Files), "file"), number(b.Impacted, "dependent"), number(b.TestTotal, "test"))
	for _, f := range b.Files {
		t.Blocks = append(t.Blocks, f.block(more))
	}
	if len(b.List) > 0 {
		t.Blocks = append(t.Blocks, block("dependents, most important first:", b.List, w, more+" --list dependents", true, dep))
	}
	if len(b.Tests) > 0 {
		t.Blocks = append(t.Blocks, block("tests, nearest first:", b.Tests, w, more+" --list tests", true, dep))
	}
	return t
}

// namesInLine is the maximum number of exports, and of imports, on a line.
const namesInLine = 12

func (f FileBrief) block(more More) Block {
	title := fmt.Sprintf("%s: %s, %s, %s, %s", safe(f.File), number(f.Lines, "line"), number(f.Dependents, "dependent"), number(f.Dependencies, "dependency"), number(f.Tests, "direct test"))
	if f.Package != "" {
		title += ", in " + safe(f.Package)
	}
	if f.Partial {
		title += ", partly read"
	}
	b := Block{Title: title, More: more.at}
	add := func(name string, list []string) {
		if len(list) > 0 {
			b.Items = append(b.Items, Item{Text: "  " + name + " " + some(list, namesInLine, ", "), File: f.File})
		}
	}
	add("exports", f.Exports)
	add("imports", f.Imports)
	for _, d := range f.Symbols {
		b.Items = append(b.Items, Item{Text: fmt.Sprintf("  %d-%v %s %s", d.Line, d.End, d.Kind, safe(d.Name)), File: f.File})
	}
	return b
}

// Text lays the answer out: files by rank, each with its exports.
func (m Map) Text(w Window, more More) Text {
	t := Text{Verdict: number(m.Total, "file") + ", those that matter most first", Footer: m.footer()}
	t.Blocks = []Block{block("", m.List, w, more, false, func(f MapFile) Item {
		text := fmt.Sprintf("%s  %s", safe(f.File), number(f.Dependents, "dependent"))
		if len(f.Symbols) > 0 {
			text += "\n  " + some(f.Symbols, namesInLine, " ")
		}
		return Item{Text: text, File: f.File}
	})}
	return t
}

// Text lays the answer out.
func (c Cycles) Text(w Window, more More) Text {
	t := Text{Footer: c.footer()}
	t.Verdict = fmt.Sprintf("%s in %s of %s · %d of types only", number(c.Total, "cycle"), number(c.Groups, "group"), number(c.Files, "file"), c.TypeOnly)
	if c.Sampled {
		t.Verdict += " · a group is too large: not all of its cycles are listed"
	}
	t.Blocks = []Block{block("", c.List, w, more, false, func(x Cycle) Item {
		text := "  " + safe(strings.Join(x.Files, " → ")) + " →"
		if x.TypeOnly {
			text += "  types only"
		}
		return Item{Text: text, File: x.Files[0]}
	})}
	return t
}

// only keeps one list of an answer, or all of them for ListAll. Totals do not change.
func (im Impact) only(list string) Impact {
	list = cmp.Or(list, ListAll)
	im.short = list == ListAll
	keep(list, "breaks", &im.Broken)
	keep(list, "tests", &im.Tests)
	keep(list, "dependents", &im.Dependents)
	keep(list, "surface", &im.Exports)
	if list != ListAll {
		im.Clashes = nil
	}
	return im
}

// only keeps one list of an answer, or all of them for ListAll. Totals do not change.
func (b Briefing) only(list string) Briefing {
	list = cmp.Or(list, ListAll)
	keep(list, "tests", &b.Tests)
	keep(list, "dependents", &b.List)
	keep(list, "", &b.Files)
	return b
}

// keep empties a list unless it, or every list, is wanted.
func keep[T any](wanted, name string, list *[]T) {
	if wanted != ListAll && wanted != name {
		*list = []T{}
	}
}

// Number is a count, or Unknown when the engine cannot know it. Unknown is different from 0.
type Number int

// Unknown is a number that the engine cannot know. In JSON it is null.
const Unknown Number = -1

// Known reports whether the engine knows the number.
func (n Number) Known() bool { return n >= 0 }

// String returns the number, or "?".
func (n Number) String() string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprint(int(n))
}

// MarshalJSON writes an unknown number as null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return fmt.Append(nil, int(n)), nil
}

// Source says how current and complete the basis of an answer is.
type Source struct {
	// Freshness is "" when the engine checked every file before it answered, otherwise what
	// it did not check.
	Freshness string `json:"freshness,omitempty"`
	// Incomplete lists what may be missing from the answer, a clause each.
	Incomplete []string `json:"incomplete,omitempty"`
}

// footer returns the last line of an answer.
func (s Source) footer() string {
	text := "index fresh"
	if s.Freshness != "" {
		text = safe(s.Freshness)
	}
	if len(s.Incomplete) > 0 {
		text += " · incomplete: " + safe(strings.Join(s.Incomplete, "; "))
	}
	return text
}
