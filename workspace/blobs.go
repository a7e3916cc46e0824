package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// BlobCache returns the blob cache that the settings name.
func (a *Workspace) BlobCache(c *config.Config, agentDir string) *blob.Store {
	dir := filepath.FromSlash(c.Blobs.Dir)
	if rest, ok := strings.CutPrefix(c.Blobs.Dir, "~"); ok {
		dir = filepath.Join(a.Env.Getenv("HOME"), rest)
	}
	if dir == "" {
		dir = filepath.Join(agentDir, "pictx", "blobs")
	}
	cache := blob.At(dir, a.Env.Now)
	if r := Redactor(c.Redact); r != nil {
		return cache.Masking(func(text string) string { return history.RedactText(text, r) })
	}
	return cache
}

// OpenBlobs opens the blob cache without warning of mistakes in the settings.
func (a *Workspace) OpenBlobs() (*blob.Store, *Settings, error) {
	set, pl, err := InForce(a)
	if err != nil {
		return nil, nil, err
	}
	cache := a.BlobCache(&set.Config, pl.AgentDir)
	if a.Env.Agent() && !ScopeAll(set) {
		cache = cache.Within(ownSession(a, pl))
	}
	return cache, set, nil
}

// ProjectBlobs returns the cache as a model sees it: limited to blobs of the project's
// sessions.
func (a *Workspace) ProjectBlobs(c *config.Config, root string) *blob.Store {
	agentDir, _ := pi.AgentDir(a.Env.Getenv)
	p, err := FindProject(root, agentDir)
	own := ownSession(a, p)
	if err != nil {
		own = func(string) (own, known bool) { return false, true }
	}
	return a.BlobCache(c, agentDir).Within(own)
}

// ownSession returns a function that reports whether a session belongs to the project, and
// whether that is known.
func ownSession(a *Workspace, pl Project) func(session string) (own, known bool) {
	return func(session string) (own, known bool) {
		head, err := a.Sources().Head(session)
		if err != nil {
			return false, false
		}
		p, err := FindProject(head.CWD, pl.AgentDir)
		return err == nil && p.Key == pl.Key, true
	}
}

// Blobs is OpenBlobs, and warns of mistakes in the settings.
func (a *Workspace) Blobs() (*blob.Store, *Settings, error) {
	st, set, err := a.OpenBlobs()
	if err == nil {
		a.Warn(set)
	}
	return st, set, err
}

// NamedBlobs returns a function that reports whether an existing session refers to a blob.
// It first asks the files that the cache knows of. Only if none of them exists are all
// sessions read, once: a copy of a session refers to the same blobs.
func (a *Workspace) NamedBlobs(ctx context.Context, st *blob.Store) func(id string) bool {
	var named map[string]string
	var unread error
	return func(id string) bool {
		for _, file := range st.Sessions(id) {
			if a.Sources().Has(file) {
				return true
			}
		}
		if named == nil {
			named, unread = a.blobsInSessions(ctx)
		}
		for _, name := range append(st.Sources(id), id) {
			if file, ok := named[name]; ok {
				st.Name(id, file)
				return true
			}
		}
		return unread != nil // a session that could not be read may refer to it
	}
}

// HookBlobs returns the system that stores the full text of cut results.
func (a *Workspace) HookBlobs() hooks.Blobs {
	agentDir, _ := pi.AgentDir(a.Env.Getenv) // if that fails, no event has a project
	// Where Node programs put temporary files.
	temp := cmp.Or(a.Env.Getenv("TMPDIR"), a.Env.Getenv("TMP"), a.Env.Getenv("TEMP"), os.TempDir())
	return hooks.Blobs{
		Cache:   func(c *config.Config) *blob.Store { return a.BlobCache(c, agentDir) },
		Named:   a.NamedBlobs,
		TempDir: filepath.Clean(temp),
	}
}

// blobsInSessions reads all sessions. It returns the ids of the blobs that they refer to,
// and the files of the outputs that they hold in part, each with one of the sessions.
func (a *Workspace) blobsInSessions(ctx context.Context) (map[string]string, error) {
	named := make(map[string]string)
	sources := a.Sources()
	places, err := sources.Find("")
	if err != nil {
		return named, err
	}
	for _, place := range places {
		if err := ctx.Err(); err != nil {
			return named, err
		}
		if !sources.Has(place) {
			continue
		}
		b, err := sources.Bytes(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return named, fmt.Errorf("read session: %w", err)
		}
		err = blob.EachNamed(b, func(id string) { named[id] = place })
		b.Close()
		if err != nil {
			return named, fmt.Errorf("read session: %w", err)
		}
	}
	return named, nil
}

// BlobsOf returns the blobs that match or, if match is nil, those that the chosen entries
// refer to.
func BlobsOf(ctx context.Context, blobs *blob.Store, st *store.Store, c *erase.Chosen, match history.Finder) (ids []string, err error) {
	var found []blob.Info
	if match != nil {
		found, _, err = blobs.Matching(ctx, func(text []byte) bool { return history.Finds(match, string(text)) })
	} else {
		named := make(map[string]bool)
		err = st.Eraser.Lines(ctx, c, func(line []byte) {
			_ = blob.EachNamed(bytes.NewReader(line), func(id string) { named[id] = true })
		})
		if err != nil {
			return nil, err
		}
		found, err = blobs.List()
		found = slices.DeleteFunc(found, func(i blob.Info) bool { return !named[i.ID] })
	}
	for _, i := range found {
		ids = append(ids, i.ID)
	}
	return ids, err
}
