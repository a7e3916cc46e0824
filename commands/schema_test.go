package commands_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/clitest"
)

// closedSchema compiles a published schema, and lets objects have the listed properties
// alone: what is printed and not listed is missing from it.
func closedSchema(ts *testscript.TestScript, key string) *jsonschema.Schema {
	file := filepath.Join("..", "docs", "json", clitest.SchemaFile(key))
	text, err := os.ReadFile(file)
	ts.Check(err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	ts.Check(err)
	closeObjects(doc)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource(file, doc))
	s, err := c.Compile(file)
	ts.Check(err)
	return s
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
	dec.UseNumber()
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
				if cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s has --json and no --%s", cmd.CommandPath(), name)
				}
			}
		}
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(commands.Root(&cli.Env{}))
	if found < 60 {
		t.Errorf("only %d commands with --json were found", found)
	}
}
