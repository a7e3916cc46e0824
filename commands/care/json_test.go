package care

import (
	"testing"

	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"config":          settingView{},
		"doctor":          doctorResult{},
		"doctor checks":   checkResult{},
		"doctor tables":   store.TableSize{},
		"doctor hooks":    jsonl.EventTimes{},
		"uninstall":       uninstallResult{},
		"uninstall stays": leftover{},
		"log":             jsonl.LogEntry{},
		"version":         workspace.VersionInfo{},
	})
}
