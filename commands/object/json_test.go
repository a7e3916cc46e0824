package object

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/sqlite/objects"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"object list":            objectView{},
		"object show":            shownObject{},
		"object diff":            diffView{},
		"object diff lines":      object.Line{},
		"object refs":            refView{},
		"object activate":        stateResult{},
		"object why":             whyView{},
		"object why events":      eventView{},
		"object verify":          verifyResult{},
		"object verify findings": objects.Finding{},
		"object gc":              gcResult{},
		"object evict":           evictResult{},
		"object watch":           watchResult{},
	})
}
