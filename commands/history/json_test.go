package history

import (
	"testing"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"import":                 workspace.ImportSummary{},
		"import problems":        workspace.ImportProblem{},
		"import sessions":        history.Report{},
		"sessions":               workspace.SessionRow{},
		"report":                 workspace.Usage{},
		"usage":                  workspace.Usage{},
		"usage groups":           workspace.UsageGroup{},
		"usage pruned":           workspace.PrunedSum{},
		"usage summaries":        workspace.SummaryCost{},
		"grep":                   hitView{},
		"grep answer":            answerView{},
		"expand":                 expandedEntry{},
		"tree":                   summaryView{},
		"compact":                compactResult{},
		"export":                 exportedSession{},
		"export messages":        exportedMessage{},
		"blobs list":             blobView{},
		"blobs gc":               blobsRemoved{},
		"blobs gc removed":       blobView{},
		"blobs purge":            blobsRemoved{},
		"blobs verify":           blobsVerified{},
		"blobs verify findings":  blob.Finding{},
		"history stats":          statsView{},
		"history stats roles":    store.RoleCount{},
		"history vacuum":         vacuumResult{},
		"history purge":          eraseResult{},
		"history purge sessions": erasedSession{},
		"history redact":         eraseResult{},
	})
}
