package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/message"
)

// leastCut is how long what the agent left of an output is at least, in
// characters: it cuts at 2,000 lines, or at more characters.
const leastCut = 2000

// keepOutputs keeps the outputs of the last turn, and of what the user ran before
// it, that the session has only a part of. The agent leaves them in files that do
// not last. It does not wait for this, and no event is asked for that would not
// come anyway.
func (s Blobs) keepOutputs(ctx context.Context, c *Call, cache *blob.Store) error {
	if s.TempDir == "" {
		return nil
	}
	lines, err := lastOutputs(ctx, c)
	if err != nil {
		return err
	}
	var failed error
	for _, line := range lines {
		for _, path := range blob.CutOutputs(line) {
			if filepath.Dir(path) != s.TempDir || cache.CopyOf(path) != "" {
				continue
			}
			failed = errors.Join(failed, keepOutput(cache, path, c.Session.File))
		}
	}
	return failed
}

// lastOutputs returns the entries of the last turn that may hold a part of an
// output.
func lastOutputs(ctx context.Context, c *Call) ([][]byte, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Project.Close()
	var out [][]byte
	answers := 0
	path := sess.Entries().Path(c.Session.LeafID)
	for i := len(path) - 1; i >= 0 && answers < 2; i-- {
		n := path[i]
		switch h := &n.Message; {
		case h.Role == message.RoleAssistant:
			answers++
		case h.Role == message.RoleBashExecution, h.Role == message.RoleToolResult && h.Content.Chars >= leastCut:
			line, err := sess.Line(n)
			if err != nil {
				return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
			}
			out = append(out, append([]byte(nil), line...))
		}
	}
	return out, nil
}

// keepOutput copies a file of the agent into the cache. One that is gone is none:
// the session may be an old one.
func keepOutput(cache *blob.Store, path, session string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer root.Close()
	st, err := root.Lstat(filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return nil
	}
	if err == nil && st.Size() > blob.MaxText {
		return fmt.Errorf("keep output %s: it has %d bytes, at most %d", path, st.Size(), blob.MaxText)
	}
	f, err := root.Open(filepath.Base(path))
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, blob.MaxText+1))
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	info, err := cache.Put(text, session)
	if err != nil {
		return err
	}
	cache.CopiedFrom(info.ID, path)
	return nil
}
