package prune

import (
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/internal/clitest"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"prune":                      planView{},
		"prune edits":                policy.Edit{},
		"prune kept":                 policy.Kept{},
		"prune reason":               policy.Reason{},
		"guard":                      guardView{},
		"guard offers":               offerView{},
		"pin":                        pinView{},
		"replay":                     replay.Comparison{},
		"replay worlds":              replay.World{},
		"replay policies":            replay.PolicyTotal{},
		"replay worlds of a policy":  replay.WorldTotal{},
		"replay per_session":         replay.SessionResult{},
		"replay policy of a session": replay.Run{},
	}, bill.Items{})
}
