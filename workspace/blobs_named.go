package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// blobsInSessions reads all sessions for the ids of the blobs that they name,
// and the files of the outputs that they have a part of, with a session that does.
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

// BlobsOf finds the blobs that match or, when nothing is to match, those that the chosen
// entries name.
func BlobsOf(ctx context.Context, blobs *blob.Store, st *store.Store, c *erase.Chosen, match history.Finder) ([]string, error) {
	if match != nil {
		return blobs.Matching(ctx, func(text string) bool { return history.Finds(match, text) })
	}
	var named []string
	err := st.Eraser.Lines(ctx, c, func(line []byte) {
		_ = blob.EachNamed(bytes.NewReader(line), func(id string) { named = append(named, id) })
	})
	if err != nil {
		return nil, err
	}
	all, err := blobs.List()
	var out []string
	for _, i := range all {
		if slices.Contains(named, i.ID) {
			out = append(out, i.ID)
		}
	}
	return out, err
}
