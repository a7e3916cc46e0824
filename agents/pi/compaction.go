package pi

import (
	"encoding/json"
	"time"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Compaction is an entry by which a text stands for the messages before another entry.
type Compaction struct {
	ID, Parent string
	Time       time.Time
	Summary    string
	Kept       string      // the first entry that stays as it is
	Before     token.Count // of the context that it was made of
	Details    any         // as JSON; pi keeps them, and does not read them
}

// Line is the entry as pi would write it for an extension, without a line end.
func (c Compaction) Line() ([]byte, error) {
	return json.Marshal(struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Parent  string `json:"parentId"`
		Time    string `json:"timestamp"`
		Summary string `json:"summary"`
		Kept    string `json:"firstKeptEntryId"`
		Before  int    `json:"tokensBefore"`
		Details any    `json:"details"`
		Hook    bool   `json:"fromHook"`
	}{"compaction", c.ID, c.Parent, text.KnownTime(c.Time.UnixMilli()), c.Summary, c.Kept, int(c.Before), c.Details, true})
}
