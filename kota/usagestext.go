package kota

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// How many lines of code of a file are shown in the longer and the shorter layout.
	manyLines = 8
	fewLines  = 2
	// maxNumbers is the maximum number of further line numbers listed for a file.
	maxNumbers = 20
)

// Texts returns the layouts, most detailed first: uses with their code, fewer lines of code per
// file, line numbers only.
func (u Usages) Texts(w Window, more More) []Text {
	if len(u.Candidates) > 0 {
		return []Text{u.candidates(w, more)}
	}
	long := Text{Verdict: u.verdict(w, more), Footer: u.footer()}
	long.Blocks = []Block{block("", u.List, w, more, true, func(x Usage) Item { return x.item(manyLines) })}
	if len(u.Others) > 0 {
		long.Blocks = append(long.Blocks, block("others of that name, which no other file can take ("+w.option("file")+" chooses one):", u.Others, Window{}, more, false, definition))
	}
	short, items := long, slices.Clone(long.Blocks[0].Items)
	for k := range items {
		// The others have no more code to leave out: there may be thousands of them.
		if x := &u.List[long.Blocks[0].Offset+k]; len(x.Code) > fewLines {
			items[k] = x.item(fewLines)
		}
	}
	short.Blocks = slices.Clone(long.Blocks)
	short.Blocks[0].Items = items
	return []Text{long, short}
}

// candidates asks to choose one of several definitions.
func (u Usages) candidates(w Window, more More) Text {
	t := Text{Footer: u.footer()}
	var all []Definition
	for _, c := range u.Candidates {
		all = append(all, c.Definition)
	}
	t.Verdict = Ambiguous(u.Symbol, w.option("file"), all)
	t.Blocks = []Block{block("", u.Candidates, w, more, true, func(c Candidate) Item {
		it := definition(c.Definition)
		if c.Uses.Known() {
			it.Text += fmt.Sprintf(": used on %s in %s", number(c.Uses, "line"), number(c.Files, "file"))
		}
		return it
	})}
	return t
}

// Ambiguous says that a symbol has several definitions and how to choose one: with the option for a
// file, or by its full name when a file has two of them.
func Ambiguous(symbol, option string, of []Definition) string {
	how, files := "choose one with "+option, make(map[string]bool)
	for _, d := range of {
		if files[d.File] {
			how = "name its owner, as in " + safe(d.Name)
		}
		files[d.File] = true
	}
	return fmt.Sprintf("%s is declared in %d places: %s", safe(symbol), len(of), how)
}

// verdict says how often the symbol is used, and where it comes from.
func (u Usages) verdict(w Window, more More) string {
	text := fmt.Sprintf("%s: %s in %s", safe(u.Symbol), number(u.Total, "line"), number(u.Files, "file"))
	if u.TestLines > 0 {
		text += fmt.Sprintf(" (%d in tests)", u.TestLines)
	}
	switch d := u.Definition; {
	case d != nil && d.Line == 0:
		text += " · imported from " + safe(d.File) + ", " + safe(d.Kind)
	case d != nil:
		text += " · " + strings.TrimSpace(definition(*d).Text)
	case u.External != "":
		text += " · external, from " + safe(u.External)
	}
	if n := len(u.Missing); n > 0 {
		m := u.Missing[0]
		text += fmt.Sprintf(" · %s that name it lead to nothing that is there, as %s on line %d of %s", number(n, "import"), safe(m.Spec), m.Line, safe(m.File))
	}
	if u.Confidence == "name" {
		text += " · lines that use a member of that name"
		n := 0
		for _, x := range u.List {
			if x.Likely {
				n += len(x.Lines)
			}
		}
		text += fmt.Sprintf("; %s likely by the types, which come first", number(n, "line"))
		if u.Unlisted > 0 {
			lists := string(more) + " --all"
			if w.Tool {
				lists = "all: true lists them"
			}
			text += fmt.Sprintf("; left out: %s where the receiver has another type or no import leads to the type (%s)", number(u.Unlisted, "line"), lists)
		}
	}
	return text
}

func definition(d Definition) Item {
	text := fmt.Sprintf("  %s:%d-%v %s %s", safe(d.File), d.Line, d.End, d.Kind, safe(d.Name)) + when(d.Exported, ", exported") + of(", ", d.Label)
	return Item{Text: text, File: d.File}
}

// item formats the uses in one file, with the code of at most n lines.
func (u Usage) item(n int) Item {
	text := "  " + safe(u.File)
	code := u.Code[:min(n, len(u.Code))]
	if len(u.Lines) == 0 {
		code = nil // the only use is the import
	}
	if len(code) == 0 {
		text += lineList(u.Lines)
	}
	text += remarks(
		when(u.Import > 0, "imported on "+strconv.Itoa(u.Import)), of("as ", u.As), of("via ", u.Via), when(u.Likely, "likely"),
		when(u.Unlikely, "unlikely"), when(u.Test, "test"), when(u.Support, "test support"), safe(u.Label),
	)
	for _, c := range code {
		text += fmt.Sprintf("\n    %d: %s", c.Line, safe(c.Text))
	}
	if rest := u.Lines[min(len(code), len(u.Lines)):]; len(rest) > 0 && len(code) > 0 {
		text += "\n    and on " + strings.TrimPrefix(lineList(rest[:min(maxNumbers, len(rest))]), ":")
		if n := len(rest) - maxNumbers; n > 0 {
			text += fmt.Sprintf(" and %s more", number(n, "line"))
		}
	}
	return Item{Text: text, File: u.File}
}
