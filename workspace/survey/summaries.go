package survey

import (
	"context"
	"encoding/json"
	"math"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// Summaries is the cost of summaries written by models.
type Summaries struct {
	Count   int     `json:"count"`
	Input   int64   `json:"input"` // tokens read, those from a cache included
	Output  int64   `json:"output"`
	Dollars float64 `json:"dollars"`
}

// readSummaries adds up what models summarized since a time in Unix milliseconds.
func readSummaries(ctx context.Context, st *store.Store, since int64) (Summaries, error) {
	var recorded []compaction
	err := st.Entries.Compactions(ctx, since, func(session string, at int64, entry []byte) {
		if c, ok := compactionOf(entry); ok {
			c.session, c.ended = session, at
			recorded = append(recorded, c)
		}
	})
	if err != nil {
		return Summaries{}, err
	}
	written, err := st.Summaries.Written(ctx, since)
	return sumSummaries(recorded, written), err
}

// compaction is what a session records of the requests of a compaction.
type compaction struct {
	session string
	// began and ended are in Unix milliseconds.
	began, ended  int64
	input, output int64
	dollars       float64
}

// compactionOf reads the entry of a compaction, and reports whether it records requests. A
// session file may hold anything: what has another form records nothing.
func compactionOf(entry []byte) (compaction, bool) {
	type billed struct {
		Input, Output, CacheRead, CacheWrite float64
		Cost                                 struct{ Total float64 }
	}
	var e struct {
		Usage   *billed
		Details struct {
			Pictx *struct {
				Began    int64
				Requests *int
				Usage    *billed
			}
		}
	}
	if json.Unmarshal(entry, &e) != nil {
		return compaction{}, false
	}
	u, began := e.Usage, int64(math.MaxInt64) // pi's own has no summary in the store
	if own := e.Details.Pictx; own != nil {
		began = own.Began
		if own.Requests != nil {
			u = own.Usage // nil when the summaries existed
		}
	}
	if u == nil || u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Cost.Total < 0 {
		return compaction{}, false
	}
	c := compaction{began: began, input: int64(u.Input + u.CacheRead + u.CacheWrite), output: int64(u.Output), dollars: u.Cost.Total}
	return c, c.input > 0
}

// made reports whether a summary was written for the compaction.
func (c *compaction) made(w *summaries.Written) bool {
	return c.session == w.Session && c.began <= w.At && w.At <= c.ended
}

// sumSummaries adds up what compactions record and, by its size, what was written besides
// them: by `pictx compact`, for compactions that were cancelled, and for those that record no
// usage.
func sumSummaries(recorded []compaction, written []summaries.Written) (sum Summaries) {
	paid := make([]bool, len(recorded))
	for i := range written {
		w := &written[i]
		sum.Count++
		known := false
		for j := range recorded {
			if recorded[j].made(w) {
				known, paid[j] = true, true
				break
			}
		}
		if known {
			continue
		}
		r := usage.Response{Model: w.Model, Usage: message.Usage{Input: w.Input, Output: w.Output}}
		cost, _ := r.Cost()
		sum.Input, sum.Output, sum.Dollars = sum.Input+w.Input, sum.Output+w.Output, sum.Dollars+cost
	}
	for j, c := range recorded {
		if !paid[j] {
			sum.Count++
		}
		sum.Input, sum.Output, sum.Dollars = sum.Input+c.input, sum.Output+c.output, sum.Dollars+c.dollars
	}
	return sum
}
