package object

import (
	"testing"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/clitest"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"object list":              objectView{},
		"object show":              shownObject{},
		"object show --diff":       diffView{},
		"object show --diff lines": text.Change{},
		"object activate":          stateResult{},
		"object show --why":        whyView{},
		"object show --why events": eventView{},
		"object watch":             watchResult{},
	})
}
