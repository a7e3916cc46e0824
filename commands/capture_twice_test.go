package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite/store"
)

// said is all that a store says of the objects of a session: their versions, and what
// happened to them in order. Twice the same would be two lines.
func said(t *testing.T, st *store.Store, session string) []string {
	t.Helper()
	var out []string
	for _, v := range must.Get(st.Objects.FindObjects(t.Context(), object.Query{}))(t) {
		for _, h := range must.Get(st.Objects.History(t.Context(), v.ID))(t) {
			out = append(out, fmt.Sprintf("%s %d: %s", h.ID, h.Number, h.Hashes.Object))
		}
	}
	slices.Sort(out)
	for _, e := range must.Get(st.Objects.Events(t.Context(), session))(t) {
		out = append(out, fmt.Sprintf("%s %s at %s", e.Kind, e.Object, e.Leaf))
	}
	return out
}

// turnOfSix is a turn that reads, edits and lists, with a call that failed.
func (c *captured) turnOfSix(n int) {
	for i := range 3 {
		name := fmt.Sprintf("f%d.go", (n+i)%4)
		c.write(name, strings.Repeat(fmt.Sprintf("line of turn %d\n", n), 30))
		c.read(name)
	}
	c.call("e", "edit", fmt.Sprintf(`{"path":"f%d.go","edits":[]}`, n%4), string(message.TextContent("ok")), false)
	c.call("b", "bash", `{"command":"ls"}`, string(message.TextContent(fmt.Sprintf("f0.go\nf1.go\nlisted%d.go\n", n))), false)
	c.call("x", "bash", `{"command":"false"}`, string(message.TextContent("no")), true)
}

// meeting is a store that lets nobody write before all have read.
type meeting struct {
	*store.Store
	all *sync.WaitGroup
}

func (m *meeting) Submit(ctx context.Context, tx object.Tx) (object.Receipt, error) {
	m.all.Done()
	m.all.Wait()
	return m.Store.Objects.Submit(ctx, tx)
}

// Two processes that have both seen what is to be captured leave what one would leave.
func TestATurnCapturedTwiceAtOnceIsStoredOnce(t *testing.T) {
	t.Parallel()
	c, alone := newCaptured(t), newCaptured(t)
	alone.root = c.root
	for n := range 3 {
		c.write(fmt.Sprintf("listed%d.go", n), "")
		c.turnOfSix(n)
		alone.lines = c.lines
		alone.turn()
		var met, done sync.WaitGroup
		met.Add(2)
		for range 2 {
			s := c.open()
			defer s.Close()
			work := c.work("s-1")
			work.Store.Writer = &meeting{c.store, &met}
			done.Go(func() {
				if _, err := work.Turn(t.Context(), s.Tree, s.Leaf(), s.Line); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
	}
	must.Match(t, said(t, c.store, "s-1"), said(t, alone.store, "s-1"), "what differs")
}
