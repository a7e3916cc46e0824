package clitest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemas is where the JSON schemas of the commands are published, seen from a
// package of commands.
const schemas = "../../docs/json"

// SchemaFile is the file name of the schema for a key of pictx help json.
func SchemaFile(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "--", ""), " ", "-") + ".json"
}

// checkSchema fails t unless the schema of a type is published. With UPDATE_GOLDEN set
// it publishes it.
func checkSchema(t *testing.T, key string, v any, own map[reflect.Type]*jsonschema.Schema) {
	t.Helper()
	want := schemaOf(t, key, v, own)
	file := filepath.Join(schemas, SchemaFile(key))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the schema of what pictx %s prints: make generate (%v)", file, key, err)
	}
}

// ownSchemas are the schemas of types that write their JSON themselves: a number that
// may be unknown, or an object.
func ownSchemas(values []any) map[reflect.Type]*jsonschema.Schema {
	out := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}
	for _, v := range values {
		s := &jsonschema.Schema{Type: "object"}
		if reflect.TypeOf(v).Kind() == reflect.Int {
			s = &jsonschema.Schema{Types: []string{"integer", "null"}}
		}
		out[reflect.TypeOf(v)] = s
	}
	return out
}

// schemaOf writes the schema of a type, whose objects begin with schema_version.
func schemaOf(t *testing.T, key string, v any, own map[reflect.Type]*jsonschema.Schema) []byte {
	t.Helper()
	s, err := jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{TypeSchemas: own})
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	open(s)
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "pictx "+key+" --json"
	s.Properties["schema_version"] = &jsonschema.Schema{Const: jsonschema.Ptr[any](1)}
	s.PropertyOrder = append([]string{"schema_version"}, s.PropertyOrder...)
	s.Required = append([]string{"schema_version"}, s.Required...)
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// open lets objects have properties that are not listed: fields may be added.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}
