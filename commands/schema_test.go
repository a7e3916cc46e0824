package commands_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
)

// closedSchema reads a published schema, and lets objects have the listed properties
// alone: what is printed and not listed is missing from it. The library is one that pictx
// has anyway: each process that a script starts is this binary, and sets up what it has.
func closedSchema(ts *testscript.TestScript, key string) *jsonschema.Resolved {
	text, err := os.ReadFile(filepath.Join("..", "docs", "json", clitest.SchemaFile(key)))
	ts.Check(err)
	var doc any
	ts.Check(json.Unmarshal(text, &doc))
	closeObjects(doc)
	text, err = json.Marshal(doc)
	ts.Check(err)
	var s jsonschema.Schema
	ts.Check(json.Unmarshal(text, &s))
	closed, err := s.Resolve(nil)
	ts.Check(err)
	return closed
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, isObject := v["properties"].(map[string]any); isObject && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, e := range v {
			closeObjects(e)
		}
	case []any:
		for _, e := range v {
			closeObjects(e)
		}
	}
}

// documents reads the JSON that a command printed.
func documents(out []byte) ([]any, error) {
	var docs []any
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var doc any
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return nil, err
		}
		docs = append(docs, doc)
	}
}

// Every command with --json, --jq and --template has all three.
func TestEveryCommandWithJSONFiltersAndFormatsIt(t *testing.T) {
	t.Parallel()
	found := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup("json") != nil {
			found++
			for _, name := range []string{"jq", "template"} {
				must.Not(t, cmd.Flags().Lookup(name) == nil, "%s has --json and no --%s", cmd.CommandPath(), name)
			}
		}
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(commands.Root(&cli.Env{}))
	must.Not(t, found < 60, "only %d commands with --json were found", found)
}
