package commands

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// storePath is the store of the agent's project.
func (p *piAgent) storePath() string {
	p.t.Helper()
	return must.Get(workspace.FindProject(p.project, p.dir))(p.t).StorePath()
}

// db makes the store and opens it as a plain database.
func (p *piAgent) db() *sql.DB {
	p.t.Helper()
	s := must.Get(store.Open(p.t.Context(), p.storePath(), sqlite.Write, time.Now))(p.t)
	s.Close()
	db := must.Get(sql.Open(sqlhook.Driver, p.storePath()))(p.t)
	p.t.Cleanup(func() { db.Close() })
	return db
}

// sql runs a statement in the store.
func (p *piAgent) sql(statement string) {
	p.t.Helper()
	must.Get(p.db().Exec(statement))(p.t)
}

// asked is what turn_end and context are answered when something is wrong.
func (p *piAgent) asked(leaf string) (turnEnd, context reply) {
	p.t.Helper()
	keys := map[string]any{"keys": atPrompt(p.t, p.file, leaf)}
	turnEnd = parseReply(p.t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
	return turnEnd, parseReply(p.t, p.once("context", p.request("context", leaf, keys)))
}

func TestAStoreThatCannotBeUsedChangesNothingAndSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(p *piAgent)
		want  string
	}{
		"newer schema": {func(p *piAgent) { p.sql("PRAGMA user_version = 99") }, "newer pictx"},
		"older schema": {func(p *piAgent) { p.sql("PRAGMA user_version = 1") }, "pictx store migrate"},
		"no database": {func(p *piAgent) {
			p.sql("SELECT 1")
			must.Do(p.t, os.WriteFile(p.storePath(), []byte(strings.Repeat("garbage ", 1000)), 0o600))
		}, "damaged"},
		"no directory": {func(p *piAgent) {
			must.Do(p.t, os.WriteFile(filepath.Join(p.dir, "pictx"), []byte("in the way"), 0o600))
		}, "pictx"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newAgent(t)
			p.config(lowLimits)
			leaf := p.wholeSession("notes-1.5.jsonl")
			c.spoil(p)
			turnEnd, context := p.asked(leaf)
			for _, r := range []reply{turnEnd, context} {
				must.Not(t, !strings.Contains(r.Error, c.want) || len(r.Result.Entries)+len(r.Result.Edits) > 0, "%+v", r)
			}
		})
	}
}

func TestABusyStoreIsLeftForTheNextEvent(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("notes-1.5.jsonl")
	p.sql("SELECT 1")
	release := p.lock()
	for _, r := range p.whileLocked(leaf) {
		must.Equal(t, r.code, 0, "%s while it is locked: exit code", r.event)
		switch reply := parseReply(t, r.said); {
		case r.event == "before_agent_start" && (reply.Error != "" || len(reply.Result.Entries) > 0),
			r.event == "context" && !r.edits && reply.Error == "": // the agent applies again what it had
			t.Errorf("%s while it is locked: %+v", r.event, reply)
		}
	}
	release()
	turnEnd, _ := p.asked(leaf)
	must.Not(t, len(turnEnd.Result.Entries) == 0, "afterwards: %+v", turnEnd)
}

// hookRun is a hook in a process of its own.
type hookRun struct {
	event string
	edits bool // of an agent that keeps edits itself
	code  int
	said  string
}

// whileLocked runs the hooks of a turn for an agent with and without edits. All of them run at
// once, and end when all have replied: by themselves they would go on trying for a while.
func (p *piAgent) whileLocked(leaf string) []hookRun {
	p.t.Helper()
	keys := map[string]any{"keys": atPrompt(p.t, p.file, leaf)}
	payloads := map[string]map[string]any{"before_agent_start": {}, "context": keys}
	var runs []hookRun
	var requests [][]byte
	can := p.can
	for _, edits := range []bool{true, false} {
		if p.can = nil; edits {
			p.can = can
		}
		for event, payload := range payloads {
			runs, requests = append(runs, hookRun{event: event, edits: edits}), append(requests, p.request(event, leaf, payload))
		}
	}
	p.can = can
	ctx, end := context.WithCancel(p.t.Context())
	defer end()
	var replies, ends sync.WaitGroup
	for i := range runs {
		replies.Add(1)
		out, in := io.Pipe()
		go func() {
			said := bufio.NewReader(out)
			runs[i].said, _ = said.ReadString('\n')
			replies.Done()
			io.Copy(io.Discard, said)
		}()
		ends.Go(func() {
			runs[i].code = p.process(ctx, runs[i].event, requests[i], in)
			in.Close()
		})
	}
	replies.Wait()
	end()
	ends.Wait()
	return runs
}

// lock holds the store as a long import does.
func (p *piAgent) lock() (release func()) {
	p.t.Helper()
	conn := must.Get(p.db().Conn(p.t.Context()))(p.t)
	exec := func(statement string) {
		must.Get(conn.ExecContext(p.t.Context(), statement))(p.t)
	}
	exec("BEGIN IMMEDIATE")
	return func() { exec("ROLLBACK") }
}

func TestServeLetsAnotherTakeOverWhenItsStoreBecomesNewer(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("notes-1.5.jsonl")
	s := p.serve()
	r := parseReply(t, s.ask(p.request("before_agent_start", leaf, map[string]any{})))
	must.Stop(t, r.Error != "", "%+v", r)
	p.sql(fmt.Sprintf("PRAGMA user_version = %d", sqlite.SchemaVersion()+1))
	// What it does after the first reply may find out before the second request does.
	go s.in.Write(p.request("before_agent_start", leaf, map[string]any{}))
	rest := must.Get(io.ReadAll(s.out))(t)
	for line := range strings.Lines(string(rest)) {
		r := parseReply(t, line)
		must.Not(t, strings.Contains(line, `"id":`) && !strings.Contains(r.Error, "newer pictx"), "%+v", r)
	}
	if code := <-s.end; code != exit.OK { // by itself
		t.Errorf("exit code %d", code)
	}
}

func TestAStoreThatWasDeletedIsMadeAgain(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("notes-1.5.jsonl")
	s := p.serve()
	defer s.stop()
	first := parseReply(t, s.ask(p.request("before_agent_start", leaf, map[string]any{})))
	for _, end := range []string{"", "-wal", "-shm"} {
		os.Remove(p.storePath() + end)
	}
	again := parseReply(t, s.ask(p.request("before_agent_start", leaf, map[string]any{})))
	must.Not(t, again.Error != "" || len(again.Result.Entries) != len(first.Result.Entries), "%+v", again)
}

// A session file that is replaced, cut or damaged while serve has it open.
func TestASessionFileThatChangesUnderServe(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("notes-1.5.jsonl")
	s := p.serve()
	defer s.stop()
	request := p.request("before_agent_start", leaf, map[string]any{})
	before := parseReply(t, s.ask(request))
	data, err := os.ReadFile(p.file)
	if err != nil || len(before.Result.Entries) == 0 {
		t.Fatal(err, before)
	}
	for name, text := range map[string]string{
		"torn":      string(data) + `{"type":"message","id":"x`,
		"damaged":   string(data) + "\x00\xff garbage\n",
		"rewritten": strings.Replace(string(data), "\n", "\n\n", 1),
		"cut":       string(data[:len(data)/2]),
		"empty":     "",
	} {
		must.Do(t, os.WriteFile(p.file, []byte(text), 0o600))
		served := s.ask(request)
		once := p.once("before_agent_start", request)
		must.Not(t, once != served, "%s: served\n%sone shot\n%s", name, served, once)
	}
	os.Remove(p.file)
	r := parseReply(t, s.ask(request))
	must.Not(t, r.Error != "" || len(r.Result.Entries) > 0, "without a file: %+v", r)
}

// An agent that keeps no edits itself starts with a store that cannot be read:
// what its session carries is enough.
func TestMarksInTheSessionAreToldWithoutAStore(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	p.can = nil
	leaf := p.wholeSession("notes-0.73.jsonl")
	_, first := p.asked(leaf)
	must.Stop(t, p.keepMarks(first, leaf) != 1 || len(first.Result.Edits) == 0, "%+v", first)
	must.Do(t, os.WriteFile(p.storePath(), []byte(strings.Repeat("garbage ", 1000)), 0o600))
	_, again := p.asked("marks001")
	must.Not(t, again.Error != "" || len(again.Result.Edits) != len(first.Result.Edits), "%+v", again)
}
