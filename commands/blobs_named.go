package commands

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/project"
)

// regularFile reports whether there is a file.
func regularFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// blobsInSessions reads all sessions of pi for the ids of the blobs that they name,
// and the files of the outputs that they have a part of, with a session that does.
func (a *app) blobsInSessions(ctx context.Context, agentDir string) (map[string]string, error) {
	named := make(map[string]string)
	files, err := project.SessionFiles(agentDir, a.env.Getenv)
	if err != nil {
		return named, err
	}
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return named, err
		}
		if !regularFile(path) {
			continue
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return named, fmt.Errorf("read session: %w", err)
		}
		err = eachNamed(f, func(id string) { named[id] = path })
		f.Close()
		if err != nil {
			return named, fmt.Errorf("read session: %w", err)
		}
	}
	return named, nil
}

// overlap is how much of what was looked at is looked at again with what follows:
// more than what names a blob takes.
const overlap = 512

// eachNamed calls fn with every id that stands in the details of a result which was
// cut, and with the file of every output that pi has cut. It looks at bytes alone:
// parsing every session would take seconds.
func eachNamed(r io.Reader, fn func(idOrFile string)) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := in.Peek(in.Size())
		eachBlobID(text, fn)
		if bytes.Contains(text, []byte("fullOutputPath")) || bytes.Contains(text, []byte("Full output: ")) {
			for _, path := range blob.CutOutputs(text) {
				fn(path)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = in.Discard(len(text) - overlap)
		}
		if err != nil {
			return err
		}
	}
}

// eachBlobID calls fn with every id in the details of results.
func eachBlobID(text []byte, fn func(id string)) {
	const before, digits = `"blobId":"`, 64
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(before))
		if i < 0 {
			return
		}
		at += i + len(before)
		if at+digits > len(text) {
			return
		}
		if id := string(text[at : at+digits]); blob.ValidID(id) {
			fn(id)
		}
	}
}

// blobCache is the cache of the settings.
func (a *app) blobCache(c config.Blobs, agentDir string) *blob.Store {
	dir := filepath.FromSlash(c.Dir)
	if rest, ok := strings.CutPrefix(c.Dir, "~"); ok {
		dir = filepath.Join(a.env.Getenv("HOME"), rest)
	}
	if dir == "" {
		dir = filepath.Join(agentDir, "pictx", "blobs")
	}
	return blob.At(dir, a.env.Now)
}

// openBlobs opens the cache. What is wrong with the settings is not said.
func (a *app) openBlobs() (*blob.Store, *settings, place, error) {
	pl, err := a.place()
	if err != nil {
		return nil, nil, pl, err
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil, nil, pl, err
	}
	return a.blobCache(set.Config.Blobs, pl.agentDir), set, pl, nil
}

// blobs opens the cache, and warns of what is wrong with the settings.
func (a *app) blobs() (*blob.Store, config.Blobs, place, error) {
	st, set, pl, err := a.openBlobs()
	if err != nil {
		return nil, config.Blobs{}, pl, err
	}
	a.warn(set)
	return st, set.Config.Blobs, pl, nil
}

// namedBlobs returns a function that reports whether a session that exists names a
// blob. Files that the cache knows of are asked after first. Only when none of them
// is left all sessions of pi are read, once: a copy of a session names what it did.
func (a *app) namedBlobs(ctx context.Context, st *blob.Store, agentDir string) func(id string) bool {
	var named map[string]string
	var unread error
	return func(id string) bool {
		for _, file := range st.Sessions(id) {
			if regularFile(file) {
				return true
			}
		}
		if named == nil {
			named, unread = a.blobsInSessions(ctx, agentDir)
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
func (a *app) tempDir() string {
	dir := cmp.Or(a.env.Getenv("TMPDIR"), a.env.Getenv("TMP"), a.env.Getenv("TEMP"), os.TempDir())
	return filepath.Clean(dir)
}

// hookBlobs is the system that keeps what the hooks cut.
func (a *app) hookBlobs() hooks.Blobs {
	agentDir, _ := project.AgentDir(a.env.Getenv) // without it no event has a project either
	return hooks.Blobs{
		Cache:   func(c config.Blobs) *blob.Store { return a.blobCache(c, agentDir) },
		Named:   func(ctx context.Context, st *blob.Store) func(string) bool { return a.namedBlobs(ctx, st, agentDir) },
		TempDir: a.tempDir(),
	}
}
