// Package clitest is what the tests of the command line share: its clock, and the
// promise of pictx help json. It must not be used by anything that ships, and it
// does not know the commands.
package clitest

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Now is the time at which commands run in tests.
func Now() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }

// CheckFields fails t unless each type has the fields in JSON that the topic, the
// text of pictx help json in the named file, lists under its key: a command, and
// after a space the part of its output, and the JSON schema of each command is
// published. own are values of the types that write their JSON themselves.
func CheckFields(t *testing.T, topic string, types map[string]any, own ...any) {
	t.Helper()
	text, err := os.ReadFile(topic)
	if err != nil {
		t.Fatal(err)
	}
	listed, parts := topicFields(string(text))
	custom := ownSchemas(own)
	for key, v := range types {
		if got := strings.Join(jsonNames(reflect.TypeOf(v)), " "); got != listed[key] {
			t.Errorf("%s has the fields\n%s\nand the topic lists\n%s", key, got, listed[key])
		}
		if !parts[key] {
			checkSchema(t, key, v, custom)
		}
	}
}

// TopicFields reads the table under FIELDS in pictx help json: a command in column 2, its
// fields in column 17, "part:" before those of a part. A long name has a line of
// its own.
func TopicFields(text string) map[string]string {
	fields, _ := topicFields(text)
	return fields
}

// topicFields is TopicFields, with the keys of parts.
func topicFields(text string) (got map[string]string, parts map[string]bool) {
	const column = 17
	got, parts = make(map[string]string), make(map[string]bool)
	command, key := "", ""
	_, text, _ = strings.Cut(text, "\nFIELDS\n")
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "  ") && len(line) > 2 && line[2] != ' ' && (len(line) <= column || line[column-1] != ' ' && line[column] != ' ') {
			command, key = strings.TrimSpace(line), strings.TrimSpace(line)
			continue
		}
		if !strings.HasPrefix(line, "  ") || len(line) <= column {
			continue
		}
		if name := strings.TrimSpace(line[:column]); name != "" {
			command, key = name, name
		}
		fields := line[column:]
		if part, rest, ok := strings.Cut(fields, ": "); ok {
			key, fields = command+" "+part, rest
			parts[key] = true
		}
		got[key] = strings.TrimSpace(got[key] + " " + strings.TrimSpace(fields))
	}
	return got, parts
}

// jsonNames returns a struct's field names in JSON, those of embedded structs
// in their place.
func jsonNames(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "":
			out = append(out, jsonNames(f.Type)...)
		case name != "":
			out = append(out, name)
		}
	}
	return out
}
