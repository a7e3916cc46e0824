package survey

import (
	"testing"

	"github.com/coctostan/pictx/sqlite/summaries"
)

func TestASummaryIsBilledAsItsCompactionRecords(t *testing.T) {
	t.Parallel()
	c, ok := compactionOf([]byte(`{"type":"compaction","usage":{"input":1,"output":10,"cacheWrite":9730,"cost":{"total":0.5}},
		"details":{"pictx":{"began":100,"requests":1,"usage":{"input":1,"output":10,"cacheWrite":9730,"cost":{"total":0.5}}}}}`))
	if !ok {
		t.Fatal("it records nothing")
	}
	c.session, c.ended = "s1", 200
	got := sumSummaries([]compaction{c}, []summaries.Written{
		{Session: "s1", Model: "me/mine", At: 150, Input: 9300, Output: 8},
		{Session: "s1", Model: "me/mine", At: 160, Input: 100, Output: 8}, // the same compaction
		{Session: "s1", Model: "me/mine", At: 201, Input: 1000, Output: 7},
		{Session: "s2", Model: "me/mine", At: 150, Input: 2000, Output: 5},
	})
	if want := (Summaries{Count: 4, Input: 9731 + 3000, Output: 10 + 12, Dollars: 0.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestACompactionWithoutRequestsIsNotBilled(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]string{
		"no usage":         `{"type":"compaction"}`,
		"existing summary": `{"usage":{"input":5},"details":{"pictx":{"requests":0}}}`,
		"negative":         `{"usage":{"input":5,"output":-5}}`,
		"another form":     `{"usage":"much","details":[]}`,
		"not JSON":         `{`,
	} {
		if c, ok := compactionOf([]byte(entry)); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
