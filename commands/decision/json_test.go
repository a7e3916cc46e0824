package decision

import (
	"testing"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/clitest"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"decision list":           decision.Decision{},
		"decision list sides":     decision.Side{},
		"decision add":            changeResult{},
		"decision status":         statusView{},
		"decision purge":          purgeResult{},
		"decision purge due":      decision.Due{},
		"decision init":           initResult{},
		"decision context":        contextView{},
		"decision context shown":  decision.ShownLine{},
		"decision show --history": decision.EventView{},
		"decision diff":           decision.Difference{},
		"decision diff words":     text.Change{},
		"decision audit":          auditResult{},
		"decision audit findings": decision.Finding{},
		"decision export":         exportedRecord{},
		"decision import":         importedRecord{},
	})
}
