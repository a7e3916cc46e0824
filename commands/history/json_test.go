package history

import (
	"testing"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/sqlite/health"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/survey"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"import":                 workspace.ImportSummary{},
		"import problems":        workspace.ImportProblem{},
		"import sessions":        history.Report{},
		"sessions":               survey.Session{},
		"usage":                  survey.Usage{},
		"usage groups":           survey.Group{},
		"usage pruned":           survey.Pruned{},
		"usage summaries":        survey.Summaries{},
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
		"history stats roles":    health.RoleCount{},
		"history vacuum":         vacuumResult{},
		"history purge":          eraseResult{},
		"history purge sessions": erasedSession{},
		"history redact":         eraseResult{},
	})
}
