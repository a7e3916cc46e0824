package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// namedStore is an open store with the key of its project.
type namedStore struct {
	Store *store.Store
	Key   string
	sole  bool // whether the scope is this project: no other store can come to it
}

// Stores are the stores of several projects, searched as one.
type Stores []namedStore

var _ history.Searcher = Stores(nil)

// GrepStores opens the stores of a scope. With scope "all", stores that cannot be opened
// are skipped with a warning, and partly is set.
func (a *Workspace) GrepStores(ctx context.Context, scope string) (s Stores, partly bool, err error) {
	switch scope {
	case "", "project", "session":
		st, pl, err := a.Store(ctx, sqlite.Read)
		if err != nil {
			return nil, false, Elsewhere(a, err, "pictx import, or pictx sessions --all")
		}
		return Stores{{st, pl.Key, true}}, false, nil
	case "all":
		if err := MayReadOthers(a, "pictx grep --scope project QUERY"); err != nil {
			return nil, false, err
		}
		return a.allStores(ctx)
	}
	return nil, false, exit.UsageError("pictx grep --scope all QUERY", "unknown --scope %q: want session, project or all", scope)
}

// Backup copies a store to a new file, whose directory is made if it is missing, and returns its
// size.
func Backup(ctx context.Context, st *store.Store, to string) (int64, error) {
	if _, err := os.Lstat(to); err == nil {
		return 0, exit.WithHint(exit.Refused, "pictx history backup ANOTHER", fmt.Errorf("back up store: %s already exists", to))
	}
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if err == nil {
		err = st.Backup(ctx, to)
	}
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, fmt.Errorf("back up store: %w", err)
	}
	return info.Size(), nil
}

// EachStore calls fn with the store of every project, its key and its directory, "" when
// unknown. It goes on after errors, which it joins.
func (a *Workspace) EachStore(ctx context.Context, mode sqlite.Mode, fn func(st *store.Store, key, root string) error) error {
	pl, err := a.Here()
	if err == nil {
		err = MayReadOthers(a, "the same without --all")
	}
	if err != nil {
		return err
	}
	keys, err := StoreKeys(pl.AgentDir)
	if err == nil && len(keys) == 0 {
		err = noStores()
	}
	for _, key := range keys {
		st, failed := a.OpenStore(ctx, StoreOf(pl.AgentDir, key), mode)
		if failed == nil {
			var root string
			if root, failed = st.Root(ctx); failed == nil {
				failed = fn(st, key, root)
			}
			failed = errors.Join(failed, st.Close())
		}
		if err = errors.Join(err, failed); ctx.Err() != nil {
			break
		}
	}
	return err
}

func (a *Workspace) allStores(ctx context.Context) (s Stores, partly bool, err error) {
	pl, err := a.Here()
	if err != nil {
		return nil, false, err
	}
	keys, err := StoreKeys(pl.AgentDir)
	if err != nil {
		return nil, false, err
	}
	var first error
	for _, key := range keys {
		path := StoreOf(pl.AgentDir, key)
		st, err := store.Open(ctx, path, sqlite.Read, a.Env.Now)
		if err == nil {
			s = append(s, namedStore{Store: st, Key: key})
			continue
		}
		if first == nil {
			first = err
		}
		a.Warning(text.TerminalLine(err.Error()), "")
	}
	switch {
	case len(s) > 0:
		return s, first != nil, nil
	case first != nil:
		return nil, false, first
	}
	return nil, false, noStores()
}

func noStores() error {
	return exit.WithHint(exit.NoProject, "pictx import --all", fmt.Errorf("open stores: %w", sqlite.ErrNoStore))
}

// Search implements history.Searcher: each store is searched on its own, and the lists are
// merged. Those of stores that have the query more as it was given come first. Its pages shift
// while entries arrive.
func (s Stores) Search(ctx context.Context, q history.Query) (history.Result, error) {
	if len(s) == 1 && s[0].sole {
		return s[0].Store.Search.Search(ctx, q)
	}
	var all history.Result
	own := q
	own.Offset, own.Limit, own.Filter.Stored = 0, q.Offset+q.Limit, history.Mark{}
	var found []history.Result
	for _, st := range s {
		res, err := st.Store.Search.Search(ctx, own)
		if err != nil {
			return all, err
		}
		for i := range res.Hits {
			res.Hits[i].Store = st.Key
		}
		found = append(found, res)
		all.Add(res)
	}
	slices.SortStableFunc(found, func(x, y history.Result) int {
		switch {
		case history.Looser(y.Step, x.Step):
			return -1
		case history.Looser(x.Step, y.Step):
			return 1
		}
		return 0
	})
	lists := make([][]history.Hit, len(found))
	for i := range found {
		lists[i] = found[i].Hits
	}
	all.Hits = history.MergeHits(lists, all.Ranked)
	all.More = all.More || len(all.Hits) > own.Limit
	all.Hits = all.Hits[min(q.Offset, len(all.Hits)):min(own.Limit, len(all.Hits))]
	return all, nil
}

// Close closes all stores.
func (s Stores) Close() {
	for _, st := range s {
		st.Store.Close()
	}
}

// Of returns the store with a key.
func (s Stores) Of(key string) (*store.Store, bool) {
	for _, st := range s {
		if st.Key == key {
			return st.Store, true
		}
	}
	return nil, false
}

// Title returns the title of a session, "" if it has none.
func (s Stores) Title(ctx context.Context, session string) (title string, err error) {
	for _, st := range s {
		if title, err = st.Store.Entries.Title(ctx, session); err != nil || title != "" {
			break
		}
	}
	return title, err
}

// Family returns a session and the sessions that share entries with it through a fork.
func (s Stores) Family(ctx context.Context, session string) ([]string, error) {
	for _, st := range s {
		ids, err := st.Store.Search.Family(ctx, session)
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return []string{session}, nil
}

// Sessions lists the sessions of all stores, each once.
func (s Stores) Sessions(ctx context.Context) ([]entries.Session, error) {
	var out []entries.Session
	seen := make(map[string]bool)
	for _, st := range s {
		rows, err := st.Store.Entries.Names(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if !seen[r.ID] {
				out = append(out, r)
			}
			seen[r.ID] = true
		}
	}
	return out, nil
}

// EphemeralDir is the directory of the entries of sessions in memory, while those run.
func EphemeralDir(agentDir string) string { return filepath.Join(agentDir, "pictx", "ephemeral") }
