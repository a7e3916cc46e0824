package commands

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/project"
)

// regularFile tells whether there is a file.
func regularFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// blobsInSessions reads all sessions of pi for the ids of the blobs that they name,
// with a file that does.
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
		err = eachBlobID(f, func(id string) { named[id] = path })
		f.Close()
		if err != nil {
			return named, fmt.Errorf("read session: %w", err)
		}
	}
	return named, nil
}

// eachBlobID calls fn with every id that stands in the details of a result which
// was cut. It looks at bytes alone: parsing every session would take seconds.
func eachBlobID(r io.Reader, fn func(id string)) error {
	const before, digits = `"blobId":"`, 64
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		// All but the last bytes, which may be the beginning of one, is looked at and
		// dropped.
		text, err := in.Peek(in.Size())
		whole := len(text) - len(before) - digits
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(before))
			if i < 0 {
				break
			}
			at += i + len(before)
			if at+digits > len(text) {
				break
			}
			if id := string(text[at : at+digits]); blob.ValidID(id) {
				fn(id)
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if _, err := in.Discard(whole); err != nil {
			return err
		}
	}
}
