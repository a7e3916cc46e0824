package compact

import (
	"testing"

	"github.com/coctostan/pictx/internal/clitest"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"compact":        result{},
		"compact chunks": chunk{},
	})
}
