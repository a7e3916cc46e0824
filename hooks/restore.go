package hooks

import (
	"fmt"

	"github.com/coctostan/pictx/core/prune"
)

// restored is a pruned result that is to be shown again.
type restored struct {
	entry   string
	content []byte // as it was, in JSON
}

// restore returns the pruned results of a branch that a pin names. Relative paths start
// from cwd.
func restore(s Session, b *prune.Branch, p prune.Pin, cwd string) ([]restored, error) {
	named := prune.PinsOf([]prune.Pin{p})
	var out []restored
	for _, r := range b.Shown(cwd) {
		if !r.Pruned || r.Entry != p.Target && !named.Names(r.Access, cwd) {
			continue
		}
		n := s.Entries().Lookup(r.Entry)
		if n == nil {
			continue
		}
		raw, err := s.Line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", r.Entry, err)
		}
		out = append(out, restored{r.Entry, append([]byte(nil), n.Message.Content.Span.Of(n.Body.Of(raw))...)})
	}
	return out, nil
}
