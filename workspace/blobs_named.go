package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"

	"github.com/coctostan/pictx/core/blob"
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
		err = EachNamed(b, func(id string) { named[id] = place })
		b.Close()
		if err != nil {
			return named, fmt.Errorf("read session: %w", err)
		}
	}
	return named, nil
}

// overlap is how much of what was looked at is looked at again with what follows:
// more than what names a blob takes.
const overlap = 512

// EachNamed calls fn with every id that stands in the details of a result which was
// cut, and with the file of every output that pi has cut. It looks at bytes alone:
// parsing every session would take seconds.
func EachNamed(r io.Reader, fn func(idOrFile string)) error {
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

// BlobsOf finds the blobs that match or, when nothing is to match, those that the chosen
// entries name.
func BlobsOf(ctx context.Context, blobs *blob.Store, st *store.Store, c *erase.Chosen, match *regexp.Regexp) ([]string, error) {
	if match != nil {
		return blobs.Matching(ctx, match)
	}
	var named []string
	err := st.Eraser.Lines(ctx, c, func(line []byte) {
		_ = EachNamed(bytes.NewReader(line), func(id string) { named = append(named, id) })
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
