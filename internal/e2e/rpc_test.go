//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// record is one line that pi prints in RPC or JSON mode.
type record struct {
	Type, ID, Command, Method  string
	Success                    bool
	Error, Message, Title      string
	NotifyType                 string
	StatusKey, StatusText      string
	WidgetKey, WidgetPlacement string
	WidgetLines                []string
	Text, Placeholder, Prefill string
	Options                    []string
	Data                       json.RawMessage
	Raw                        json.RawMessage `json:"-"`
}

// dialog answers what pi asks a person: a value, true or false, or nil to turn away.
type dialog func(record) any

// rpc is a pi in RPC mode.
type rpc struct {
	t       *testing.T
	h       *home
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stderr  lockedBuffer
	mu      sync.Mutex
	records []record
	changed chan struct{} // closed and replaced when something came
	exited  chan struct{}
	dialogs dialog
	sent    int
	from    int // the first record that counts
}

// lockedBuffer is a buffer that may be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts pi in RPC mode and waits until it answers. It is killed with all
// it started when the test ends.
func (h *home) start(t *testing.T, args ...string) *rpc {
	t.Helper()
	slots <- struct{}{}
	p := &rpc{t: t, h: h, cmd: h.command(t, append([]string{"--mode", "rpc"}, args...)...), changed: make(chan struct{}), exited: make(chan struct{}), dialogs: func(record) any { return nil }}
	p.cmd.Stderr = &p.stderr
	stdin := must.Get(p.cmd.StdinPipe())(t)
	stdout := must.Get(p.cmd.StdoutPipe())(t)
	p.stdin = stdin
	if err := p.cmd.Start(); err != nil {
		<-slots
		t.Fatal(err)
	}
	go p.read(stdout)
	t.Cleanup(p.kill)
	p.do(object{"type": "get_state"})
	return p
}

// within lets a part of the test use pi, and returns what gives it back.
func (p *rpc) within(t *testing.T) (back func()) {
	whole := p.t
	p.t = t
	return func() { p.t = whole }
}

// once runs a session of one prompt, for which the model plays these turns, and
// ends it.
func (h *home) once(t *testing.T, text string, turns ...turn) *rpc {
	t.Helper()
	p := h.start(t)
	p.ask(text, turns...)
	p.close()
	return p
}

// resume does what once does in the newest session.
func (h *home) resume(t *testing.T, text string, turns ...turn) *rpc {
	t.Helper()
	p := h.start(t, "--continue")
	p.ask(text, turns...)
	p.close()
	return p
}

// read collects what pi prints until it ends.
func (p *rpc) read(stdout io.Reader) {
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			p.take(line)
		}
		if err != nil {
			break
		}
	}
	p.cmd.Wait()
	<-slots
	close(p.exited)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signal()
}

func (p *rpc) take(line []byte) {
	r := record{Raw: bytes.TrimSpace(line)}
	if err := json.Unmarshal(line, &r); err != nil {
		// A member whose type differs from that in record belongs to an event of
		// which tests only read the type.
		json.Unmarshal(line, &struct{ Type *string }{&r.Type})
	}
	if r.Type == "message_update" {
		return
	}
	p.mu.Lock()
	p.records = append(p.records, r)
	p.signal()
	ask := p.dialogs
	p.mu.Unlock()
	if r.Type == "extension_ui_request" && ask != nil {
		p.reply(r, ask)
	}
}

// signal wakes those that wait. The caller holds the lock.
func (p *rpc) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// reply answers a dialog.
func (p *rpc) reply(r record, ask dialog) {
	answer := object{"type": "extension_ui_response", "id": r.ID}
	switch r.Method {
	case "select", "confirm", "input", "editor":
	default:
		return
	}
	switch v := ask(r).(type) {
	case nil:
		answer["cancelled"] = true
	case bool:
		answer["confirmed"] = v
	default:
		answer["value"] = v
	}
	p.stdin.Write(append(asJSON(answer), '\n'))
}

// answers sets who answers dialogs.
func (p *rpc) answers(d dialog) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialogs = d
}

// mark is the number of records so far, to wait for later ones.
func (p *rpc) mark() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.records)
}

// wait waits for a record after a mark.
func (p *rpc) wait(from int, what string, is func(record) bool) record {
	p.t.Helper()
	limit := time.After(patience)
	for {
		p.mu.Lock()
		for ; from < len(p.records); from++ {
			if r := p.records[from]; is(r) {
				p.mu.Unlock()
				return r
			}
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.exited:
			p.mu.Lock()
			over := from >= len(p.records)
			p.mu.Unlock()
			if over {
				p.t.Fatalf("pi ended while the test waited for %s\n%s", what, p.last())
			}
		case <-limit:
			p.t.Fatalf("waited in vain for %s\n%s", what, p.last())
		}
	}
}

// last is what helps to understand a failure.
func (p *rpc) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, r := range p.records[max(0, len(p.records)-12):] {
		fmt.Fprintf(&b, "  %.300s\n", r.Raw)
	}
	fmt.Fprintf(&b, "stderr: %.2000s", p.stderr.String())
	return b.String()
}

// post sends a command and returns its id.
func (p *rpc) post(cmd object) string {
	p.t.Helper()
	p.sent++
	id := fmt.Sprintf("c%d", p.sent)
	cmd["id"] = id
	if _, err := p.stdin.Write(append(asJSON(cmd), '\n')); err != nil {
		p.t.Fatalf("%s: %v\n%s", cmd["type"], err, p.last())
	}
	return id
}

// try sends a command and returns the response, good or bad.
func (p *rpc) try(cmd object) record {
	p.t.Helper()
	from := p.mark()
	id := p.post(cmd)
	return p.wait(from, fmt.Sprintf("the response to %v", cmd["type"]), func(r record) bool { return r.Type == "response" && r.ID == id })
}

// do sends a command that must succeed.
func (p *rpc) do(cmd object) record {
	p.t.Helper()
	r := p.try(cmd)
	if !r.Success {
		p.t.Fatalf("%s: %s\n%s", cmd["type"], r.Error, p.last())
	}
	return r
}

// settled reports whether a record ends a run of the agent.
func (p *rpc) settled(r record) bool {
	if p.h.version == pi073 {
		return r.Type == "agent_end"
	}
	return r.Type == "agent_settled"
}

// prompt sends a prompt and waits until the agent is done with it.
func (p *rpc) prompt(text string, images ...object) {
	p.t.Helper()
	from := p.mark()
	cmd := object{"type": "prompt", "message": text}
	if len(images) > 0 {
		cmd["images"] = images
	}
	p.do(cmd)
	p.wait(from, "the end of the run", p.settled)
	p.idle()
}

// compact compacts the session, as a person asks for it.
func (p *rpc) compact() {
	p.t.Helper()
	p.do(object{"type": "compact"})
}

// slash runs a command of an extension.
func (p *rpc) slash(text string) {
	p.t.Helper()
	p.do(object{"type": "prompt", "message": text})
}

// moveTo goes to another place in the tree of the session, as the extension of the
// tests names it.
func (p *rpc) moveTo(place string) {
	p.t.Helper()
	p.slash("/e2e-tree " + place)
	p.idle()
}

// tells runs a command and returns the next notice.
func (p *rpc) tells(command string) string {
	p.t.Helper()
	from := p.mark()
	p.slash(command)
	return p.wait(from, "what "+command+" says", func(r record) bool { return r.Method == "notify" }).Message
}

// idle waits until pi neither answers nor compacts. pi 0.73 has no event for it.
func (p *rpc) idle() {
	p.t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		var s struct{ IsStreaming, IsCompacting bool }
		must.Do(p.t, json.Unmarshal(p.do(object{"type": "get_state"}).Data, &s))
		if !s.IsStreaming && !s.IsCompacting {
			return
		}
	}
	p.t.Fatalf("pi did not come to rest\n%s", p.last())
}

// of returns the records of a kind: a type, or the method of a UI request.
func (p *rpc) of(kind string) []record {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []record
	for _, r := range p.records[p.from:] {
		if r.Type == kind || r.Type == "extension_ui_request" && r.Method == kind {
			all = append(all, r)
		}
	}
	return all
}

// sessionFile is where pi writes the session, "" when it does not.
func (p *rpc) sessionFile() string {
	p.t.Helper()
	var s struct{ SessionFile string }
	must.Do(p.t, json.Unmarshal(p.do(object{"type": "get_state"}).Data, &s))
	return s.SessionFile
}

// close ends pi as a client does that goes away. It must end well.
func (p *rpc) close() {
	p.t.Helper()
	p.stdin.Close()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("pi did not end\n%s", p.last())
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("pi ended with %d\n%s", code, p.last())
	}
	for _, r := range p.of("extension_error") {
		p.t.Errorf("an extension failed: %s", r.Raw)
	}
}

// finish closes pi after all that was scripted for the model.
func (p *rpc) finish() {
	p.t.Helper()
	p.close()
	p.h.model.check(p.t)
}

// kill ends pi and all it started, at once.
func (p *rpc) kill() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.exited
}
