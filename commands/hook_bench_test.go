package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/commands/history"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

// benchSession is a session that goes on.
type benchSession struct {
	b     testing.TB
	d     *hooks.Dispatcher
	dir   string
	file  string
	lines [][]byte
	leaf  string
	edits int
	keys  []hooks.MessageKey // of the messages so far
}

// newBenchSession is a session of 1,000 messages of 1.5 KB, to which the benchmark adds turns.
func newBenchSession(b *testing.B, turns int) *benchSession {
	b.Helper()
	return newSessionOf(b, corpus.Session{Messages: 1000 + 3*turns, Size: 1500}, 1000)
}

// newSessionOf is a session; the agent has its first messages before the turns that are
// measured.
func newSessionOf(b testing.TB, session corpus.Session, messages int) *benchSession {
	b.Helper()
	dir := b.TempDir()
	s := &benchSession{b: b, dir: dir, file: filepath.Join(dir, "s.jsonl")}
	a := cli.NewRun(&cli.Env{Process: workspace.Process{Environ: []string{"PI_CODING_AGENT_DIR=" + dir, "HOME=" + dir}, Dir: dir, Now: s.now}, Out: io.Discard, Err: io.Discard, HookDeadline: time.Minute})
	s.d = world.New(a.Workspace).Dispatcher(world.Serving, a.Env.HookDeadline, history.HookExport)
	s.d.Log = nil
	session.ID, session.CWD, session.Seed = "bench", dir, 1
	var text bytes.Buffer
	must.Do(b, corpus.Write(&text, session))
	s.lines = bytes.SplitAfter(bytes.TrimSuffix(text.Bytes(), []byte("\n")), []byte("\n"))
	s.append(messages + 1)
	s.ask(hooks.EventSessionStart, "contextEdit")
	s.ask(hooks.EventTurnEnd, "contextEdit")
	s.ask(hooks.EventTurnEnd, "contextEdit")
	return s
}

// now is a moment after the newest message.
func (s *benchSession) now() time.Time {
	if len(s.keys) == 0 {
		return time.Now()
	}
	return time.UnixMilli(int64(s.keys[len(s.keys)-1].Timestamp)).Add(time.Second)
}

func (s *benchSession) append(n int) {
	for i, l := range s.lines[:n] {
		if parent := bytes.Index(l, []byte(`"parentId":"`)) + 12; i == 0 && s.leaf != "" { // it follows the edits
			l = append(append(append([]byte(nil), l[:parent]...), s.leaf...), l[parent+8:]...)
			s.lines[0] = l
		}
		r := bytes.Index(l, []byte(`"id":"`)) + 6
		s.leaf = string(l[r : r+8])
		var e struct {
			Message *hooks.MessageKey `json:"message"`
		}
		if json.Unmarshal(l, &e) == nil && e.Message != nil {
			e.Message.I = len(s.keys)
			s.keys = append(s.keys, *e.Message)
		}
	}
	s.write(bytes.Join(s.lines[:n], nil))
	s.lines = s.lines[n:]
}

func (s *benchSession) write(text []byte) {
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		s.b.Fatal(err)
	}
	if _, err := f.Write(text); err != nil {
		s.b.Fatal(err)
	}
	f.Close()
}

// timed switches the clock of a benchmark on or off; a test has none.
func (s *benchSession) timed(on bool) {
	switch b, ok := s.b.(*testing.B); {
	case ok && on:
		b.StartTimer()
	case ok:
		b.StopTimer()
	}
}

// ask hands an event in, and appends the edits of the reply.
func (s *benchSession) ask(event string, can ...string) {
	payload := []byte("{}")
	if event == hooks.EventContext {
		s.timed(false)
		payload, _ = json.Marshal(hooks.ContextKeys{Keys: s.keys})
		s.timed(true)
	}
	r := &hooks.Request{V: 1, Event: event, CWD: s.dir, Can: can, Session: hooks.SessionRef{ID: "bench", File: s.file, LeafID: s.leaf}, Payload: payload}
	reply, after := s.d.Handle(s.b.Context(), r, 0)
	if reply.Error != "" {
		s.b.Fatal(reply.Error)
	}
	s.timed(false)
	defer s.timed(true)
	after(s.b.Context(), func(...hooks.Effect) {})
	s.carry(reply.Effects)
	if reply.Result == nil {
		return
	}
	for _, e := range reply.Result.Entries {
		if e.Type == "context_edit" {
			s.edits++
			id := fmt.Sprintf("edit%04d", s.edits)
			s.write(fmt.Appendf(nil, `{"type":"context_edit","id":"%s","parentId":"%s","targetId":"%s","replacement":%s}`+"\n", id, s.leaf, e.TargetID, e.Replacement))
			s.leaf = id
		}
	}
}

// carry appends the entries that say what was pruned, as an agent does. Without them the
// reply counts as lost, and each event decides it once more.
func (s *benchSession) carry(effects []hooks.Effect) {
	for _, e := range effects {
		if e.Type != "appendEntry" {
			continue
		}
		data, err := json.Marshal(e.Data)
		if err != nil {
			s.b.Fatal(err)
		}
		s.edits++
		id := fmt.Sprintf("edit%04d", s.edits)
		s.write(fmt.Appendf(nil, `{"type":"custom","id":"%s","parentId":"%s","customType":"%s","data":%s}`+"\n", id, s.leaf, e.CustomType, data))
		s.leaf = id
	}
}

// BenchmarkTurnEnd is what an agent waits for at the end of every turn: three
// entries are read, and the context is planned.
func BenchmarkTurnEnd(b *testing.B) {
	s := newBenchSession(b, b.N)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		s.append(3)
		b.StartTimer()
		s.ask(hooks.EventTurnEnd, "contextEdit")
	}
}

// BenchmarkContext is what an agent waits for that keeps no edits itself: all that
// are in force are named.
func BenchmarkContext(b *testing.B) {
	s := newBenchSession(b, b.N)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		s.append(3)
		b.StartTimer()
		s.ask(hooks.EventContext)
	}
}

// BenchmarkReadSession is the reference: the session's file is read once.
func BenchmarkReadSession(b *testing.B) {
	s := newBenchSession(b, 0)
	b.ResetTimer()
	for range b.N {
		open := must.Get(pi.Open(s.file))(b)
		open.Close()
	}
}
