package kota

import (
	"testing"

	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/kota"
)

// Holds history 75.
func TestJSONTypesHaveTheListedFields(t *testing.T) {
	t.Parallel()
	clitest.CheckFields(t, "../topics/json.txt", map[string]any{
		"kota index":                   indexResult{},
		"kota status":                  kota.Status{},
		"kota skipped":                 kota.Count{},
		"kota search":                  kota.Hits{},
		"kota search list":             kota.Hit{},
		"kota search also":             kota.Place{},
		"kota deps":                    kota.Deps{},
		"kota side":                    kota.Side{},
		"kota dep":                     kota.Dep{},
		"kota missing":                 kota.Missing{},
		"kota usages":                  kota.Usages{},
		"kota usages list":             kota.Usage{},
		"kota symbol":                  kota.Definition{},
		"kota impact":                  kota.Impact{},
		"kota surface":                 kota.Export{},
		"kota gap":                     kota.Gap{},
		"kota code":                    kota.CodeLine{},
		"kota candidate":               kota.Candidate{},
		"kota context":                 kota.Briefing{},
		"kota context files":           kota.FileBrief{},
		"kota map":                     kota.Map{},
		"kota map list":                kota.MapFile{},
		"kota map --cycles":            kota.Cycles{},
		"kota map --cycles list":       kota.Cycle{},
		"kota graph":                   kota.Graph{},
		"kota graph edges":             kota.GraphEdge{},
		"kota context --query":         kota.Task{},
		"kota context --query files":   kota.TaskFile{},
		"kota context --query related": kota.Related{},
	}, kota.Number(0))
}
