package clitest

import (
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coctostan/pictx/internal/must"
)

// They are written by one library, and must be schemas to another.
func TestPublishedSchemasAreReadByAnotherLibrary(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(schemas, "*.json"))
	must.Stop(t, err != nil || len(files) < 40, "%d schemas, %v", len(files), err)
	for _, file := range files {
		_, err := jsonschema.NewCompiler().Compile(file)
		must.Not(t, err != nil, "%s: %v", file, err)
	}
}
