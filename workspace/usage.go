package workspace

import (
	"context"
	"time"

	"github.com/coctostan/pictx/core/usage"
)

// Usage is what pictx usage prints as JSON.
type Usage struct {
	By        string       `json:"by"`
	Groups    []UsageGroup `json:"groups"`
	Total     UsageGroup   `json:"total"`
	Pruned    PrunedSum    `json:"pruned"`
	Summaries SummaryCost  `json:"summaries"`
}

// UsageGroup is a group of Usage: a day, week, model, project or session.
type UsageGroup struct {
	Key        string  `json:"key"`
	Requests   int     `json:"requests"`
	Input      int64   `json:"input"` // tokens that no cache held
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cache_read"`
	CacheWrite int64   `json:"cache_write"`
	Cached     float64 `json:"cached"` // the share of the input that was read from the cache
	Dollars    float64 `json:"dollars"`
	Saved      float64 `json:"saved"`    // dollars less than with plain pi
	Unpriced   int     `json:"unpriced"` // requests without a price
}

// ReadUsage adds up the usage in the stores since a time in Unix milliseconds, grouped by
// one of usage.Kinds.
func ReadUsage(ctx context.Context, stores Stores, by string, since int64) (Usage, error) {
	v, table := Usage{By: by, Groups: []UsageGroup{}}, usage.NewTable(by, time.Local)
	var err error
	v.Summaries, v.Pruned, err = readPaid(ctx, stores, since, func(r usage.Response) { table.Add(&r) }, table.Save)
	if err != nil {
		return v, err
	}
	for _, g := range table.Groups() {
		v.Groups = append(v.Groups, groupView(g))
	}
	v.Total = groupView(usage.Group{Key: "total", Total: table.All(), Saved: table.Saved()})
	return v, nil
}

func groupView(g usage.Group) UsageGroup {
	return UsageGroup{
		Key: g.Key, Requests: g.Responses, Input: g.Input, Output: g.Output, CacheRead: g.CacheRead, CacheWrite: g.CacheWrite,
		Cached: g.Cached(), Dollars: g.Dollars, Saved: g.Saved, Unpriced: g.Unpriced,
	}
}
