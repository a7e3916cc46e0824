package config

import (
	"slices"
	"strings"
)

// places lists the possible positions of a key that the document does not have, best first:
// below the commented-out setting of a default file, in the closest table, in a new table.
func (d *document) places(path []string, value string) []splice {
	found := d.belowTemplate(path, value)
	for depth := len(path) - 1; depth > 0; depth-- {
		found = append(found, d.inHeader(path, depth, value)...)
		found = append(found, d.beside(path, depth, value)...)
		found = append(found, d.inBraces(path, depth, value)...)
	}
	if len(path) > 1 {
		found = append(found, d.newTable(path, value))
	}
	if !d.reopens(path, 0) {
		found = append(found, d.atTop(path, value))
	}
	return found
}

// belowTemplate is the line after a comment such as #prune.mode = "auto".
func (d *document) belowTemplate(path []string, value string) []splice {
	var found []splice
	for _, c := range d.comments {
		if !c.own || c.listed || !hasPrefix(path, c.table) || len(c.table) == len(path) {
			continue
		}
		rest := path[len(c.table):]
		if templateKey(d.text[c.start:c.end]) == formatKey(rest) && !d.reopens(path, len(c.table)) {
			found = append(found, d.lineAt(d.lineAfter(c.end), d.indent(c.start), rest, value))
		}
	}
	return found
}

// reopens reports whether a dotted key written in the table path[:depth] would
// define a table that has a header of its own. TOML forbids that, but the
// decoder lets it pass.
func (d *document) reopens(path []string, depth int) bool {
	return slices.ContainsFunc(d.entries, func(e entry) bool {
		return e.header && len(e.path) > depth && len(e.path) < len(path) && hasPrefix(path, e.path)
	})
}

// templateKey is the key of a commented-out setting. For any other comment it is a text
// that is not a key.
func templateKey(comment string) string {
	key, _, ok := strings.Cut(strings.TrimLeft(comment, "# \t"), "=")
	if !ok {
		return ""
	}
	return strings.TrimSpace(key)
}

// inHeader is the end of the table [path[:depth]].
func (d *document) inHeader(path []string, depth int, value string) []splice {
	for i, e := range d.entries {
		if e.header && !e.listed && slices.Equal(e.path, path[:depth]) {
			last := d.entries[d.lastOf(i)]
			return []splice{d.lineAt(last.lineEnd, d.indent(last.start), path[depth:], value)}
		}
	}
	return nil
}

// lastOf is the last line of the table whose header is entry i.
func (d *document) lastOf(i int) int {
	last := i
	for j := i + 1; j < len(d.entries) && !d.entries[j].header; j++ {
		if !d.entries[j].inline {
			last = j
		}
	}
	return last
}

// beside is the line after the last dotted key of the same table.
func (d *document) beside(path []string, depth int, value string) []splice {
	var found []splice
	for _, e := range d.entries {
		related := hasPrefix(e.path, path[:depth]) && len(e.path) > depth && len(e.table) < depth
		if related && !e.header && !e.inline && !e.listed {
			found = []splice{d.lineAt(e.lineEnd, d.indent(e.start), path[len(e.table):], value)}
		}
	}
	return found
}

// inBraces is the end of an inline table.
func (d *document) inBraces(path []string, depth int, value string) []splice {
	outer, ok := d.pair(path[:depth])
	if !ok || d.text[outer.value] != '{' {
		return nil
	}
	text := formatKey(path[depth:]) + " = " + value
	last := 0
	for _, e := range d.entries {
		if e.start >= outer.value && e.valueEnd <= outer.valueEnd {
			last = max(last, e.valueEnd)
		}
	}
	if last > 0 {
		return []splice{{last, last, ", " + text}}
	}
	at := outer.value + 1
	if d.text[at] == '}' {
		text += " "
	}
	return []splice{{at, at, " " + text}}
}

// newTable is a table for the key: behind its relatives, else at the end.
func (d *document) newTable(path []string, value string) splice {
	at, nl := len(d.text), d.newline()
	for i, e := range d.entries {
		if e.header && e.path[0] == path[0] {
			at = d.entries[d.lastOf(i)].lineEnd
		}
	}
	header := "[" + formatKey(path[:len(path)-1]) + "]" + nl
	edit := d.lineAt(at, "", path[len(path)-1:], value)
	before := strings.TrimPrefix(d.text[:at], "\ufeff")
	bare := strings.TrimPrefix(edit.text, nl)
	lead := edit.text[:len(edit.text)-len(bare)] + nl
	if before == "" || strings.HasSuffix(before, "\n\n") || strings.HasSuffix(before, "\n\r\n") {
		lead = ""
	}
	edit.text = lead + header + bare
	return edit
}

// atTop is a line above every table: behind the other settings there, else
// behind the comment that opens the file.
func (d *document) atTop(path []string, value string) splice {
	first := slices.IndexFunc(d.entries, func(e entry) bool { return e.header })
	if first < 0 {
		return d.lineAt(len(d.text), "", path, value)
	}
	for i := first - 1; i >= 0; i-- {
		if e := d.entries[i]; e.lineEnd > 0 {
			return d.lineAt(e.lineEnd, d.indent(e.start), path, value)
		}
	}
	edit := d.lineAt(d.opening(d.entries[first].lineStart), "", path, value)
	edit.text += d.newline()
	return edit
}

// opening is the end of the comment that opens the file: the last blank line
// before the limit, else the start.
func (d *document) opening(limit int) int {
	bom := len(d.text) - len(strings.TrimPrefix(d.text, "\ufeff"))
	at := bom
	for pos := bom; pos < limit; {
		next := d.lineAfter(pos)
		if strings.TrimSpace(d.text[pos:next]) == "" {
			at = next
		}
		pos = next
	}
	return at
}

// lineAt writes a setting as a line of its own at the start of a line, or at
// the end of the document.
func (d *document) lineAt(at int, indent string, key []string, value string) splice {
	line, nl := indent+formatKey(key)+" = "+value, d.newline()
	if before := strings.TrimPrefix(d.text[:at], "\ufeff"); before != "" && !strings.HasSuffix(before, "\n") {
		return splice{at, at, nl + line}
	}
	return splice{at, at, line + nl}
}

// lineAfter is the start of the line after an offset.
func (d *document) lineAfter(offset int) int {
	if i := strings.IndexByte(d.text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(d.text)
}

// indent is the text before an offset on its line.
func (d *document) indent(offset int) string {
	start := strings.LastIndexByte(d.text[:offset], '\n') + 1
	return strings.TrimPrefix(d.text[start:offset], "\ufeff")
}

// newline is the line ending of the document.
func (d *document) newline() string {
	if i := strings.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
