package survey

import (
	"context"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite/store"
)

// Pruned is what pruning removed from contexts, without what was restored.
type Pruned struct {
	Results int   `json:"results"`
	Tokens  int64 `json:"tokens"`
}

// readPruned counts what was pruned in a store since a time in Unix milliseconds.
func readPruned(ctx context.Context, st *store.Store, since int64) (v Pruned, err error) {
	type output struct{ session, entry string }
	restored := make(map[output]int64) // when
	var p message.Parser
	err = st.Entries.Customs(ctx, since, func(session string, at int64, raw []byte) {
		if e, err := p.ParseEntry(raw); err != nil || e.Message.CustomType != prune.PinsEntry {
			return
		}
		for _, pin := range p.DataList(raw, "pins") {
			at = max(at, p.TimeMember(pin, "time")) // by the clock of the marks
		}
		for _, id := range p.DataList(raw, "restored") {
			o := output{session, message.Unquote(id)}
			restored[o] = max(restored[o], at)
		}
	})
	if err != nil {
		return v, err
	}
	v.Results, v.Tokens, err = st.Marks.Pruned(ctx, since, func(session, entry string, at int64) bool {
		back, ok := restored[output{session, entry}]
		return ok && back >= at
	})
	return v, err
}
