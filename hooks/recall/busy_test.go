package recall_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
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
		other := a.writer()
		a.write(`{"type":"message","id":"more","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":"and the okapi?"}}`)
		released := make(chan error)
		go func() {
			time.Sleep(held)
			_, err := other.ExecContext(t.Context(), `ROLLBACK`)
			released <- err
		}()
		a.send(event, map[string]any{}, nil)
		must.Do(t, <-released)
		var n int
		if err := other.GetContext(t.Context(), &n, `SELECT count(*) FROM messages WHERE entry_id = 'more'`); err != nil || n != 1 {
			t.Errorf("%s: %d entries are stored, %v", event, n, err)
		}
	}
}

// store is the only store that there is.
func (a *agent) store() string {
	a.t.Helper()
	stores, err := filepath.Glob(filepath.Join(filepath.Dir(a.config), "pictx", "*.db"))
	if err != nil || len(stores) != 1 {
		a.t.Fatal(stores, err)
	}
	return stores[0]
}

// writer begins a transaction of another process.
func (a *agent) writer() *sqlite.DB {
	a.t.Helper()
	other := must.Get(sqlite.Open(a.t.Context(), a.store(), sqlite.Write, time.Now))(a.t)
	a.t.Cleanup(func() { other.Close() })
	must.Get(other.ExecContext(a.t.Context(), `BEGIN IMMEDIATE`))(a.t)
	return other
}

// looking are files that say when somebody looks.
type looking struct {
	object.Files
	once func()
}

func (l looking) Look(path string) object.Look {
	l.once()
	return object.Look{Path: path, Outside: true}
}

// What a turn brought is captured while the agent goes on: its next request reads the session.
func TestTheSessionIsFreeWhileItsCaptureWaitsForAnotherWriter(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	other := a.writer()
	begun := make(chan struct{})
	files := looking{once: sync.OnceFunc(func() { close(begun) })}
	a.systems.Systems = []hooks.System{hooks.Objects{Now: time.Now, Files: func(*hooks.Call) object.Files { return files }}}
	a.write(
		`{"type":"message","id":"call","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"/x"}}],"stopReason":"toolUse"}}`,
		`{"type":"message","id":"result","parentId":"call","timestamp":"2026-03-02T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"}],"isError":false}}`,
	)
	session := map[string]any{"id": "s", "file": a.file, "leafId": "result"}
	captured := make(chan struct{})
	go func() {
		defer close(captured)
		a.send(hooks.EventTurnEnd, map[string]any{}, map[string]any{"session": session})
	}()
	<-begun
	p := must.Get(a.world.Project(t.Context(), &hooks.Request{V: 1, Event: hooks.EventContext, CWD: a.cwd, Session: hooks.SessionRef{ID: "s", File: a.file, LeafID: "result"}}))(t)
	must.Get(p.Session(t.Context()))(t)
	p.Close()
	must.Get(other.ExecContext(t.Context(), `ROLLBACK`))(t)
	<-captured
	var n int
	if err := other.GetContext(t.Context(), &n, `SELECT count(*) FROM objects WHERE kind = 'toolcall'`); err != nil || n != 1 {
		t.Errorf("%d calls are captured, %v", n, err)
	}
}

// A store may be held for longer than an agent waits for the end of a session, as by a command
// that rewrites all of it. The next session of the project then stores what is missing.
func TestTheNextSessionStoresWhatAnotherEndedWith(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	kept := filepath.Join(filepath.Dir(a.config), "sessions", "--project--", "s.jsonl")
	must.Do(t, os.MkdirAll(filepath.Dir(kept), 0o700))
	must.Do(t, os.Rename(a.file, kept))
	a.file = kept
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	other := a.writer()
	a.write(`{"type":"message","id":"more","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":"and the okapi?"}}`)
	a.send(hooks.EventSessionShutdown, map[string]any{}, nil)
	stored := func() (n int) {
		t.Helper()
		must.Do(t, other.GetContext(t.Context(), &n, `SELECT count(*) FROM messages WHERE entry_id = 'more'`))
		return n
	}
	if n := stored(); n != 0 {
		t.Fatalf("%d entries were stored while another process held the store", n)
	}
	must.Get(other.ExecContext(t.Context(), `ROLLBACK`))(t)
	next := filepath.Join(a.cwd, "next.jsonl")
	a.send(hooks.EventSessionStart, map[string]any{}, map[string]any{"session": map[string]any{"id": "next", "file": next, "leafId": ""}})
	if n := stored(); n != 1 {
		t.Errorf("%d entries of what the session ended with are stored, want 1", n)
	}
}

// At the end of a session its hook has two seconds, and ten processes for which nobody waits
// want the store as well.
//
// Holds history 14.
func TestNothingIsMissingAfterTheEndOfASessionThoughTenOthersWrite(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	crowd(t, a.store(), 200*time.Millisecond)
	look := must.Get(sqlite.Open(t.Context(), a.store(), sqlite.Read, time.Now))(t)
	defer look.Close()
	const ends = 10
	locked, missing := 0, 0
	for i := range ends {
		id := fmt.Sprint("more", i)
		a.write(`{"type":"message","id":"` + id + `","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":"and the okapi?"}}`)
		if _, r := a.send(hooks.EventSessionShutdown, map[string]any{}, nil); r.Error != "" {
			locked++
			t.Log(r.Error)
		}
		var n int
		must.Do(t, look.GetContext(t.Context(), &n, `SELECT count(*) FROM messages WHERE entry_id = ?`, id))
		missing += 1 - n
	}
	if locked+missing > 0 {
		t.Errorf("of %d ends of sessions %d met a locked store; then %d entries were missing", ends, locked, missing)
	}
}

// A turn that ends just before its session has only until the process is killed, and ten
// processes for which nobody waits want the store as well.
func TestWhatTheLastTurnBroughtIsCapturedThoughTenOthersWrite(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	var failed []string
	var log sync.Mutex
	a.systems.Log = func(r hooks.Record) {
		if log.Lock(); r.Error != "" {
			failed = append(failed, r.Event+": "+r.Error)
		}
		log.Unlock()
	}
	crowd(t, a.store(), 20*time.Millisecond)
	files := looking{once: func() {}}
	a.systems.Systems = append(a.systems.Systems, hooks.Objects{Now: time.Now, Files: func(*hooks.Call) object.Files { return files }})
	const sessions = 8
	for i := range sessions {
		a.write(
			fmt.Sprintf(`{"type":"message","id":"call%d","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"/x"}}],"stopReason":"toolUse"}}`, i, i),
			fmt.Sprintf(`{"type":"message","id":"result%d","parentId":"call%d","timestamp":"2026-03-02T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":"x"}],"isError":false}}`, i, i, i),
		)
		a.serve(fmt.Sprint("result", i), hooks.EventTurnEnd, hooks.EventSessionShutdown)
	}
	look := must.Get(sqlite.Open(t.Context(), a.store(), sqlite.Read, time.Now))(t)
	defer look.Close()
	var n int
	if err := look.GetContext(t.Context(), &n, `SELECT count(*) FROM objects WHERE kind = 'toolcall'`); err != nil || n != sessions {
		t.Errorf("of %d calls %d are captured, %v", sessions, n, err)
	}
	for _, f := range failed {
		t.Error(f)
	}
}

// serve sends events to a process that stays, as an agent that waits for each reply.
func (a *agent) serve(leaf string, events ...string) {
	a.t.Helper()
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- a.systems.Serve(a.t.Context(), a.cwd, nil, in, out)
		out.Close()
	}()
	replies := bufio.NewScanner(receive)
	replies.Buffer(nil, 1<<20)
	replies.Scan() // hello
	for _, event := range events {
		fmt.Fprintf(send, `{"v":1,"id":"1","event":%q,"cwd":%q,"session":{"id":"s","file":%q,"leafId":%q},"payload":{}}`+"\n", event, a.cwd, a.file, leaf)
		replies.Scan()
	}
	send.Close()
	for replies.Scan() {
		continue
	}
	if err := <-ended; err != nil {
		a.t.Error(err)
	}
}

// crowd has ten processes that nobody waits for write until the test ends, each holding the
// store for a time.
func crowd(t *testing.T, store string, held time.Duration) {
	t.Helper()
	var processes []*sqlite.DB
	for range 10 {
		db := must.Get(sqlite.Open(t.Context(), store, sqlite.Hook, time.Now))(t)
		t.Cleanup(func() { db.DB.Close() })
		processes = append(processes, db)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	t.Cleanup(func() {
		stop()
		writers.Wait()
	})
	for _, db := range processes {
		writers.Go(func() {
			for ctx.Err() == nil {
				_ = db.Tx(ctx, func(*sqlx.Conn) error { time.Sleep(held); return nil })
			}
		})
	}
}
