package workspace

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/hooks"
)

// BlobCache is the cache of the settings.
func (a *Workspace) BlobCache(c config.Blobs, agentDir string) *blob.Store {
	dir := filepath.FromSlash(c.Dir)
	if rest, ok := strings.CutPrefix(c.Dir, "~"); ok {
		dir = filepath.Join(a.Env.Getenv("HOME"), rest)
	}
	if dir == "" {
		dir = filepath.Join(agentDir, "pictx", "blobs")
	}
	return blob.At(dir, a.Env.Now)
}

// OpenBlobs opens the cache. What is wrong with the settings is not said.
func (a *Workspace) OpenBlobs() (*blob.Store, *Settings, Place, error) {
	pl, err := a.Place()
	if err != nil {
		return nil, nil, pl, err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return nil, nil, pl, err
	}
	return a.BlobCache(set.Config.Blobs, pl.AgentDir), set, pl, nil
}

// Blobs opens the cache, and warns of what is wrong with the settings.
func (a *Workspace) Blobs() (*blob.Store, config.Blobs, Place, error) {
	st, set, pl, err := a.OpenBlobs()
	if err != nil {
		return nil, config.Blobs{}, pl, err
	}
	a.Warn(set)
	return st, set.Config.Blobs, pl, nil
}

// NamedBlobs returns a function that reports whether a session that exists names a
// blob. Files that the cache knows of are asked after first. Only when none of them
// is left all sessions are read, once: a copy of a session names what it did.
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
		file, ok := named[id]
		for _, source := range st.Sources(id) {
			if !ok {
				file, ok = named[source]
			}
		}
		if ok {
			st.Name(id, file)
		}
		return ok || unread != nil // what was not read may name it
	}
}

// tempDir is where programs of Node put what is temporary.
func (a *Workspace) tempDir() string {
	dir := cmp.Or(a.Env.Getenv("TMPDIR"), a.Env.Getenv("TMP"), a.Env.Getenv("TEMP"), os.TempDir())
	return filepath.Clean(dir)
}

// HookBlobs is the system that keeps what the hooks cut.
func (a *Workspace) HookBlobs() hooks.Blobs {
	agentDir, _ := pi.AgentDir(a.Env.Getenv) // without it no event has a project either
	return hooks.Blobs{
		Cache:   func(c config.Blobs) *blob.Store { return a.BlobCache(c, agentDir) },
		Named:   func(ctx context.Context, st *blob.Store) func(string) bool { return a.NamedBlobs(ctx, st) },
		TempDir: a.tempDir(),
	}
}
