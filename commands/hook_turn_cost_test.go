package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/commands/history"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

// longSession is a session that goes on.
type longSession struct {
	t         *testing.T
	d         *hooks.Dispatcher
	dir, file string
	lines     [][]byte
	leaf      string
	made      int
	last      time.Time // of the newest message
}

// newLongSession is a session of which the agent has the first messages.
func newLongSession(t *testing.T, session corpus.Session, messages int) *longSession {
	t.Helper()
	dir := t.TempDir()
	s := &longSession{t: t, dir: dir, file: filepath.Join(dir, "s.jsonl"), last: time.Now()}
	a := cli.NewRun(&cli.Env{Process: workspace.Process{Environ: []string{"PI_CODING_AGENT_DIR=" + dir, "HOME=" + dir}, Dir: dir, Now: s.now}, Out: io.Discard, Err: io.Discard, HookDeadline: time.Minute})
	s.d = world.New(a.Workspace).Dispatcher(world.Serving, a.Env.HookDeadline, history.HookExport)
	s.d.Log = nil
	session.ID, session.CWD, session.Seed = "bench", dir, 1
	var text bytes.Buffer
	must.Do(t, corpus.Write(&text, session))
	s.lines = bytes.SplitAfter(bytes.TrimSuffix(text.Bytes(), []byte("\n")), []byte("\n"))
	s.append(messages + 1)
	s.ask(hooks.EventSessionStart)
	s.ask(hooks.EventTurnEnd)
	return s
}

func (s *longSession) now() time.Time { return s.last.Add(time.Second) }

// append writes the next messages to the session.
func (s *longSession) append(n int) {
	for i, l := range s.lines[:n] {
		if parent := bytes.Index(l, []byte(`"parentId":"`)) + 12; i == 0 && s.leaf != "" { // it follows what was decided
			s.lines[0] = append(append(append([]byte(nil), l[:parent]...), s.leaf...), l[parent+8:]...)
		}
		var e struct {
			ID      string
			Message struct{ Timestamp int64 }
		}
		must.Do(s.t, json.Unmarshal(l, &e))
		s.leaf = e.ID
		if e.Message.Timestamp > 0 {
			s.last = time.UnixMilli(e.Message.Timestamp)
		}
	}
	s.write(bytes.Join(s.lines[:n], nil))
	s.lines = s.lines[n:]
}

func (s *longSession) write(text []byte) {
	f := must.Get(os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(s.t)
	defer f.Close()
	must.Get(f.Write(text))(s.t)
}

// ask hands an event in, and appends what the reply decides, as an agent does. Without it the
// reply counts as lost, and each event decides it once more.
func (s *longSession) ask(event string) {
	r := &hooks.Request{V: 1, Event: event, CWD: s.dir, Can: []string{"contextEdit"}, Session: hooks.SessionRef{ID: "bench", File: s.file, LeafID: s.leaf}, Payload: []byte("{}")}
	reply, after := s.d.Handle(s.t.Context(), r, 0)
	if reply.Error != "" {
		s.t.Fatal(reply.Error)
	}
	after(s.t.Context(), func(...hooks.Effect) {})
	for _, e := range reply.Effects {
		if e.Type == "appendEntry" {
			s.own(fmt.Sprintf(`"type":"custom","customType":%q,"data":%s`, e.CustomType, must.Get(json.Marshal(e.Data))(s.t)))
		}
	}
	if reply.Result == nil {
		return
	}
	for _, e := range reply.Result.Entries {
		if e.Type == "context_edit" {
			s.own(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":%s`, e.TargetID, e.Replacement))
		}
	}
}

// own writes an entry of the agent's.
func (s *longSession) own(members string) {
	s.made++
	id := fmt.Sprintf("edit%04d", s.made)
	s.write(fmt.Appendf(nil, `{%s,"id":%q,"parentId":%q}`+"\n", members, id, s.leaf))
	s.leaf = id
}

// What a turn allocates does not depend on how busy the machine is, as times do. Were every
// turn to read its session again, the long one would be sixteen times the short one.
func TestATurnOfALongSessionCostsAServeWhatOneOfAShortSessionDoes(t *testing.T) {
	const short, long, sample = 60, 960, 12
	allocated := func(turns int) uint64 {
		s := newLongSession(t, corpus.Session{Messages: 3 * (turns + 2*sample), Size: 400}, 3*turns)
		play := func() {
			for range sample {
				s.append(3)
				s.ask(hooks.EventTurnEnd)
			}
		}
		play() // it has read the session once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		play()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	first, last := allocated(short), allocated(long)
	must.Not(t, last > 2*first, "%d turns after %d allocated %d bytes, after %d %d", sample, short, first, long, last)
	t.Logf("a turn after %d turns: %d bytes, after %d: %d", short, first/sample, long, last/sample)
}
