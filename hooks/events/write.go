package events

import (
	"fmt"
	"go/format"
	"slices"
	"strings"
)

// GoFile is the generated Go file, relative to the module's directory.
const GoFile = "hooks/events.go"

// list is a list of events in a file that is otherwise written by hand: the lines between
// the lines begin and end. begin occurs once in the file.
type list struct {
	file       string
	begin, end string
	line       func(Event) string
	separator  string // ends every line but the last
	events     []Event
}

// lists returns the lists in all files but GoFile.
func lists(table []Event) []list {
	pi := ofKinds(table, Conversation, Run, Session)
	quoted := func(indent string) func(Event) string {
		return func(e Event) string { return fmt.Sprintf("%s%q", indent, e.Name) }
	}
	const (
		extension = "hooks/pi/extension/index.ts"
		schema    = "hooks/schema/v1/"
		array     = "{\n          \"type\": \"array\",\n          \"items\": {\n            \"enum\": ["
	)
	return []list{
		{extension, "const EVENTS = [", "];", func(e Event) string { return quoted("  ")(e) + "," }, "", pi},
		{schema + "request.json", "    \"event\": {\n      \"enum\": [", "      ]", quoted("        "), ",", table},
		{schema + "reply.json", `        "wants": ` + array, "            ]", quoted("              "), ",", pi},
		{schema + "reply.json", `        "background": ` + array, "            ]", quoted("              "), ",", pi},
		{
			schema + "reply.json", "        \"timeouts\": {\n          \"type\": \"object\",\n          \"properties\": {",
			`            "tool": {"type": "object", "additionalProperties": {"type": "integer"}},`,
			func(e Event) string { return quoted("            ")(e) + `: {"type": "integer"},` }, "", pi,
		},
		{
			schema + "README.md", "| event | payload | result |\n|---|---|---|", "",
			func(e Event) string { return fmt.Sprintf("| `%s` | %s | %s |", e.Name, e.Payload, e.Result) }, "", table,
		},
	}
}

// Files returns the new text of every file that lists events, by its path relative to the
// module's directory. read returns the present text of a file; GoFile is not read, because
// it is generated as a whole. An error names the file in which a list is missing.
func Files(table []Event, read func(path string) (string, error)) (map[string]string, error) {
	source, err := format.Source([]byte(goSource(table)))
	if err != nil {
		return nil, fmt.Errorf("format %s: %w", GoFile, err)
	}
	out := map[string]string{GoFile: string(source)}
	for _, l := range lists(table) {
		text, known := out[l.file]
		if !known {
			if text, err = read(l.file); err != nil {
				return nil, err
			}
		}
		if out[l.file], err = l.replace(text); err != nil {
			return nil, fmt.Errorf("list events in %s: %w", l.file, err)
		}
	}
	return out, nil
}

// replace replaces the list in a text.
func (l list) replace(text string) (string, error) {
	before, rest, found := strings.Cut(text, l.begin+"\n")
	if !found {
		return "", fmt.Errorf("missing line %q", l.begin)
	}
	_, after, found := strings.Cut("\n"+rest, "\n"+l.end+"\n")
	if !found {
		return "", fmt.Errorf("missing line %q after %q", l.end, l.begin)
	}
	var lines []string
	for _, e := range l.events {
		lines = append(lines, l.line(e))
	}
	return before + l.begin + "\n" + strings.Join(lines, l.separator+"\n") + "\n" + l.end + "\n" + after, nil
}

// ofKinds returns the events of the given kinds, in the order of the table.
func ofKinds(table []Event, kinds ...Kind) []Event {
	return slices.DeleteFunc(slices.Clone(table), func(e Event) bool { return !slices.Contains(kinds, e.Kind) })
}

// goSource returns the unformatted source of GoFile.
func goSource(table []Event) string {
	var b strings.Builder
	b.WriteString("// Code generated from hooks/events/table.go by make generate. DO NOT EDIT.\n\npackage hooks\n\n")
	b.WriteString("// The events of the protocol, in the order of its page.\nconst (\n")
	for _, e := range table {
		fmt.Fprintf(&b, "Event%s = %q\n", e.Const, e.Name)
	}
	b.WriteString(")\n")
	background := slices.DeleteFunc(slices.Clone(table), func(e Event) bool { return !e.Background })
	goList(&b, "piEvents are the events of pi, to which hello can subscribe.", "piEvents", ofKinds(table, Conversation, Run, Session))
	goList(&b, "backgroundEvents are the events whose reply the agent does not wait for.", "backgroundEvents", background)
	var filtered []Event
	for _, k := range []Kind{Conversation, Run, Session} {
		filtered = append(filtered, ofKinds(table, k)...)
	}
	goList(&b, "FilterEvents are the events of pi that pictx filter accepts, those with messages\n// first.", "FilterEvents", filtered)
	return b.String()
}

// goList writes a function that returns the names of events.
func goList(b *strings.Builder, doc, name string, of []Event) {
	fmt.Fprintf(b, "\n// %s\nfunc %s() []string {\nreturn []string{\n", doc, name)
	for _, e := range of {
		fmt.Fprintf(b, "Event%s,\n", e.Const)
	}
	b.WriteString("}\n}\n")
}
