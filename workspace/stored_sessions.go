package workspace

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// AgentPi is the name of the agent whose sessions the stores hold.
const AgentPi = "pi"

// Stored is a session with the store that holds it.
type Stored struct {
	entries.Session
	from *store.Store
}

// SessionRow is a session as sessions --json lists it.
type SessionRow struct {
	ID      string  `json:"session"`
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Agent   string  `json:"agent"`
	Model   string  `json:"model"` // that most was paid for
	Dollars float64 `json:"dollars"`
	Priced  bool    `json:"priced"` // dollars is known
	CWD     string  `json:"cwd"`
	File    string  `json:"file"`
	Exists  bool    `json:"file_exists"`
	Parent  string  `json:"parent"` // the file it was forked from
	Started string  `json:"started"`
	Last    string  `json:"last"`
	Entries int     `json:"entries"`
	Calls   int     `json:"calls"` // responses of the model
	Bytes   int64   `json:"bytes"`
}

// StoredSessions returns the sessions of all stores that were used since a time in Unix
// milliseconds, latest first. limit is their maximum number, 0 for all.
func StoredSessions(ctx context.Context, stores Stores, since int64, limit int) ([]Stored, error) {
	var out []Stored
	seen := make(map[string]bool)
	for _, st := range stores {
		rows, err := st.Store.Entries.Latest(ctx, limit)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.Last >= since && !seen[r.ID] {
				out = append(out, Stored{r, st.Store})
			}
			seen[r.ID] = true
		}
	}
	slices.SortStableFunc(out, func(x, y Stored) int { return cmp.Compare(y.Last, x.Last) })
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out, nil
}

// Title returns the name of a session, else the beginning of its first prompt.
func (r Stored) Title(ctx context.Context) (string, error) {
	return r.from.Entries.Title(ctx, r.ID)
}

// View reads the title, model and cost of a session. exists reports whether its file still
// exists.
func (r Stored) View(ctx context.Context, exists func(file string) bool) (SessionRow, error) {
	v := SessionRow{
		ID: r.ID, Name: r.Name, Agent: AgentPi, CWD: r.CWD, File: r.File, Exists: exists(r.File), Parent: r.Parent,
		Started: text.KnownTime(r.Started), Last: text.KnownTime(r.Last), Entries: r.Entries, Calls: r.Calls, Bytes: r.Bytes,
	}
	var err error
	if v.Title, err = r.Title(ctx); err != nil {
		return v, err
	}
	models := usage.NewTable("model", time.Local)
	if err := r.from.Entries.Responses(ctx, r.ID, 0, false, func(u usage.Response) { models.Add(&u) }); err != nil {
		return v, err
	}
	if groups := models.Groups(); len(groups) > 0 {
		all := models.All()
		v.Model, v.Calls, v.Dollars, v.Priced = groups[0].Key, all.Responses, all.Dollars, all.Priced()
	}
	return v, nil
}
