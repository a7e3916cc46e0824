package hooks

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/message"
)

// minCut is the minimum length of an output that the agent may have cut, in
// characters: it cuts at 2,000 lines, or at more characters.
const minCut = 2000

// keepOutputs keeps the outputs of the last turn, and of what the user ran before
// it, of which the session has only a part. The agent leaves them in files that do
// not last. It does not wait for this, and no event is requested that would not be
// sent anyway.
func (s Blobs) keepOutputs(ctx context.Context, c *Call, cache *blob.Store) error {
	if s.TempDir == "" {
		return nil
	}
	lines, err := lastOutputs(ctx, c)
	if err != nil {
		return err
	}
	return cache.KeepOutputs(lines, s.TempDir, c.Session.File)
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
		case h.Role == message.RoleBashExecution, h.Role == message.RoleToolResult && h.Content.Chars >= minCut:
			line, err := sess.Line(n)
			if err != nil {
				return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
			}
			out = append(out, append([]byte(nil), line...))
		}
	}
	return out, nil
}
