package recall_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/sqlite"
)

// The agent has gone on: what a turn added waits for another process that writes, longer
// than an agent would.
func TestATurnIsStoredAfterAnotherWriterIsDone(t *testing.T) {
	t.Parallel()
	for event, held := range map[string]time.Duration{ // several times what a hook waits that an agent waits for
		hooks.EventSessionStart: 400 * time.Millisecond, hooks.EventTurnEnd: 400 * time.Millisecond,
		hooks.EventAgentEnd: 400 * time.Millisecond, hooks.EventSessionShutdown: 900 * time.Millisecond,
	} {
		a := newAgent(t, nil)
		a.send(hooks.EventSessionStart, map[string]any{}, nil)
		stores, err := filepath.Glob(filepath.Join(filepath.Dir(a.config), "pictx", "*.db"))
		if err != nil || len(stores) != 1 {
			t.Fatal(stores, err)
		}
		other, err := sqlite.Open(t.Context(), stores[0], sqlite.Write, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
			t.Fatal(err)
		}
		a.write(`{"type":"message","id":"more","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":"and the okapi?"}}`)
		released := make(chan error)
		go func() {
			time.Sleep(held)
			_, err := other.ExecContext(t.Context(), `ROLLBACK`)
			released <- err
		}()
		a.send(event, map[string]any{}, nil)
		if err := <-released; err != nil {
			t.Fatal(err)
		}
		var n int
		if err := other.GetContext(t.Context(), &n, `SELECT count(*) FROM messages WHERE entry_id = 'more'`); err != nil || n != 1 {
			t.Errorf("%s: %d entries are stored, %v", event, n, err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}
