package events

import (
	"fmt"
	"go/format"
	"strings"
)

// GoFile is the file of Go's constants and lists, from the module's directory.
const GoFile = "hooks/events.go"

// list is a list of events in a file that is written by hand: the lines between the
// lines begin and end. Begin occurs once in the file.
type list struct {
	file       string
	begin, end string
	line       func(Event) string
	// separator ends every line but the last.
	separator string
	of        []Event
}

// lists are all of them.
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

// Files returns the text of every file that lists events, by its path from the
// module's directory. read returns the text that a file has now: all but Go's are
// written by hand around their lists. An error names the file in which a list is
// missing.
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

// replace puts the list into a text.
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
	for _, e := range l.of {
		lines = append(lines, l.line(e))
	}
	return before + l.begin + "\n" + strings.Join(lines, l.separator+"\n") + "\n" + l.end + "\n" + after, nil
}

// ofKinds returns the events of some kinds, in the order of the table.
func ofKinds(table []Event, kinds ...Kind) []Event {
	var out []Event
	for _, e := range table {
		for _, k := range kinds {
			if e.Kind == k {
				out = append(out, e)
			}
		}
	}
	return out
}

// goSource is the source of the constants and lists, unformatted.
func goSource(table []Event) string {
	var b strings.Builder
	b.WriteString("// Code generated from hooks/events/table.go by make generate. DO NOT EDIT.\n\npackage hooks\n\n")
	b.WriteString("// The events of the protocol, in the order of its page.\nconst (\n")
	for _, e := range table {
		fmt.Fprintf(&b, "Event%s = %q\n", e.Const, e.Name)
	}
	b.WriteString(")\n")
	var background []Event
	for _, e := range table {
		if e.Background {
			background = append(background, e)
		}
	}
	goList(&b, "piEvents are the events of pi, which hello may want.", "piEvents", ofKinds(table, Conversation, Run, Session))
	goList(&b, "backgroundEvents are the events whose reply the agent does not wait for.", "backgroundEvents", background)
	var filtered []Event
	for _, k := range []Kind{Conversation, Run, Session} {
		filtered = append(filtered, ofKinds(table, k)...)
	}
	goList(&b, "FilterEvents are the events of pi that a person may hand to the filter of\n// events, those that bring messages first.", "FilterEvents", filtered)
	return b.String()
}

// goList writes a function that returns events.
func goList(b *strings.Builder, doc, name string, of []Event) {
	fmt.Fprintf(b, "\n// %s\nfunc %s() []string {\nreturn []string{\n", doc, name)
	for _, e := range of {
		fmt.Fprintf(b, "Event%s,\n", e.Const)
	}
	b.WriteString("}\n}\n")
}
