//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// envelope is a request of the extension, as far as tests look at it.
type envelope struct {
	V               int
	ID, Event       string
	CWD, Mode       string
	HasUI           bool
	Trusted, Nested *bool
	Can             []string
	Session         struct{ ID, File, LeafID string }
	Model           *struct{ Provider, ID string }
	Payload         json.RawMessage
	Entries         []json.RawMessage
	Missed          []struct{ Event, Why string }
	Replies         []answered
	State           json.RawMessage
	Cancel          string
	Raw             json.RawMessage `json:"-"`
	PID             int             `json:"-"`
	Args            []string        `json:"-"`
}

// answered is an answer to an ask.
type answered struct {
	ID        string
	Value     json.RawMessage
	Cancelled bool
	Error     string
}

// key is a message as a context request names it.
type key struct {
	I                int
	Role, ToolCallID string
}

// payload reads the payload of a request.
func (e envelope) payload(v any) {
	if err := json.Unmarshal(e.Payload, v); err != nil {
		panic(fmt.Sprintf("%v in %s", err, e.Payload))
	}
}

// keys are those of a context request.
func (e envelope) keys() []key {
	var p struct{ Keys []key }
	e.payload(&p)
	return p.Keys
}

// reply is what a fake prints.
type reply = object

// behaviour is what a fake does when nothing goes wrong.
type behaviour struct {
	hello  object
	handle func(f *fake, e envelope) reply
}

// behaviours are what fakes can do, by name.
func behaviours() map[string]behaviour {
	all := map[string]behaviour{
		"quiet":   {},
		"listens": {hello: object{"wants": events()}},
	}
	for _, more := range []map[string]behaviour{declares(), edits(), prompts(), results(), boundaries(), commands(), asks(), effects(), impatient()} {
		maps.Copy(all, more)
	}
	return all
}

// fault makes a fake go wrong. It is read again for every request, so that a
// test can change it while pi runs.
type fault struct {
	Event string // only for this event; "hello" before hello; "" for all
	Kind  string // hang, exit, cut, saw, garbage, error
	Bytes int    // of the reply that still go out, for cut
	Delay int    // milliseconds before the reply
}

// fake is pictx while this test binary plays it.
type fake struct {
	dir     string
	session int // each has a log of its own
	out     sync.Mutex
	b       behaviour
	serve   bool
}

// setup is what a test tells its fake.
type fakeSetup struct {
	Behaviour string
	Fault     fault
	Short     []string // events that get little time
	Session   int
}

// fakeHome makes a home that uses a fake with this behaviour.
func fakeHome(t *testing.T, version, behaviour, transport string) (*home, *fake) {
	t.Helper()
	h := newHome(t, version)
	return h, h.fake(t, behaviour, transport)
}

// fake makes home use a fake with this behaviour.
func (h *home) fake(t *testing.T, name, transport string) *fake {
	t.Helper()
	_, ok := behaviours()[name]
	must.Stop(t, !ok, "no behaviour %q", name)
	bin := must.Get(os.Executable())(t)
	f := &fake{dir: t.TempDir()}
	f.set(t, fakeSetup{Behaviour: name})
	h.bin, h.transport = bin, transport
	h.env = append(h.env, fakeEnv+"="+f.dir, "PICTX_HOOK_MS=60000") // a busy machine starts it in that time
	return f
}

// set tells a fake what to do from now on.
func (f *fake) set(t *testing.T, s fakeSetup) {
	t.Helper()
	s.Session = f.session
	tmp := filepath.Join(f.dir, "setup.tmp")
	must.Do(t, os.WriteFile(tmp, asJSON(s), 0o600))
	must.Do(t, os.Rename(tmp, filepath.Join(f.dir, "setup.json")))
}

// logged is one line of a fake's log.
type logged struct {
	PID     int
	Args    []string
	Request json.RawMessage `json:",omitempty"`
	Note    string          `json:",omitempty"`
}

// log returns what a fake was sent so far, of one event or of all.
func (f *fake) log(event string) []envelope {
	var all []envelope
	for _, l := range f.lines() {
		if l.Request == nil {
			continue
		}
		e := envelope{Raw: l.Request, PID: l.PID, Args: l.Args}
		if err := json.Unmarshal(l.Request, &e); err != nil {
			panic(err)
		}
		if event == "" || e.Event == event {
			all = append(all, e)
		}
	}
	return all
}

// starts are the processes of a fake that were started in this session.
func (f *fake) starts() []logged {
	return slices.DeleteFunc(f.lines(), func(l logged) bool { return l.Note != "start" })
}

func (f *fake) lines() []logged {
	raw, err := os.ReadFile(f.file("log"))
	if err != nil {
		return nil
	}
	var all []logged
	for line := range bytes.Lines(raw) {
		var l logged
		if json.Unmarshal(line, &l) == nil {
			all = append(all, l)
		}
	}
	return all
}

// write appends to the log, in one call so that processes do not mix.
func (f *fake) write(l logged) {
	l.PID, l.Args = os.Getpid(), os.Args[1:]
	f.add("log", append(asJSON(l), '\n'))
}

// file is one of its files for this session.
func (f *fake) file(name string) string {
	return filepath.Join(f.dir, fmt.Sprint(name, ".", f.session))
}

// add appends to one of its files.
func (f *fake) add(name string, text []byte) {
	file, err := os.OpenFile(f.file(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	file.Write(text)
}

// received logs a request, and counts it: a reply that needs the number would otherwise
// read the log, which in a long session takes longer with each.
func (f *fake) received(event string, raw []byte) {
	f.write(logged{Request: bytes.TrimSpace(raw)})
	f.add(event, []byte{'.'})
}

// count is how many requests of an event came before, in any process.
func (f *fake) count(event string) int {
	st, err := os.Stat(f.file(event))
	if err != nil {
		return -1
	}
	return int(st.Size()) - 1
}

func (f *fake) load() fakeSetup {
	raw, err := os.ReadFile(filepath.Join(f.dir, "setup.json"))
	if err != nil {
		panic(err)
	}
	var s fakeSetup
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	return s
}

// runFake is the main function of a fake.
func runFake(dir string, args []string) int {
	f := &fake{dir: dir}
	s := f.load()
	f.session = s.Session
	f.b = behaviours()[s.Behaviour]
	f.serve = slices.Contains(args, "--serve")
	f.write(logged{Note: "start"})
	if len(args) < 2 || args[0] != "hook" {
		fmt.Fprintln(os.Stderr, "fake: unexpected arguments:", args)
		return 2
	}
	if f.serve || args[1] == "hello" {
		f.hello(s)
	}
	if args[1] == "hello" {
		return 0
	}
	if !f.serve {
		raw, _ := io.ReadAll(os.Stdin)
		f.take(raw)
		return 0
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		f.request(line)
	}
}

func (f *fake) hello(s fakeSetup) {
	limits, bad := slowly(), s.Fault
	for _, e := range s.Short {
		limits[e] = 150
	}
	hello := object{"v": 1, "version": "fake", "wants": []string{}, "timeouts": limits}
	for k, v := range f.b.hello {
		hello[k] = v
	}
	if bad.Event == "hello" {
		f.spoil(bad, string(asJSON(object{"hello": hello}))+"\n")
		return
	}
	f.print(object{"hello": hello})
}

// slowly are time limits that no test machine needs.
func slowly() object {
	limits := object{"complete": 60_000}
	for _, e := range events() {
		limits[e] = 60_000
	}
	return limits
}

// events are those that hello can want.
func events() []string {
	return []string{"session_start", "before_agent_start", "context", "tool_result", "turn_end", "agent_end", "session_before_compact", "session_compact", "session_tree", "session_shutdown"}
}

// request handles a line of a serving fake, beside others.
func (f *fake) request(line []byte) {
	var e envelope
	if err := json.Unmarshal(line, &e); err != nil {
		f.write(logged{Note: "unreadable: " + err.Error()})
		return
	}
	if e.Cancel != "" {
		f.write(logged{Note: "cancel " + e.Cancel})
		return
	}
	f.received(e.Event, line)
	go f.reply(e)
}

// take handles the one request of a fake that does not serve.
func (f *fake) take(raw []byte) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		panic(err)
	}
	f.received(e.Event, raw)
	f.reply(e)
}

func (f *fake) reply(e envelope) {
	r := reply{}
	if f.b.handle != nil {
		r = f.b.handle(f, e)
	}
	if r == nil {
		r = reply{}
	}
	r["id"] = e.ID
	text := string(asJSON(r)) + "\n"
	bad := f.load().Fault
	if bad.Event != "" && bad.Event != e.Event || bad.Kind == "" && bad.Delay == 0 {
		f.emit(text)
		return
	}
	if bad.Kind == "saw" {
		bad = sawn(f.count(e.Event), len(text))
		f.write(logged{Note: fmt.Sprint(bad.Kind, " ", bad.Bytes, " of ", len(text))})
	}
	f.spoil(bad, text)
}

// sawStep is how many bytes later each reply is cut.
const sawStep = 11

// sawn cuts every second reply, each a little later than the one before, and
// again from the start when a reply is through. The first two are whole: they
// are what is kept.
func sawn(n, size int) fault {
	if n%2 == 1 || n == 0 {
		return fault{}
	}
	return fault{Kind: "cut", Bytes: (n/2 - 1) * sawStep % size}
}

// spoil does what a fault says in place of printing a text.
func (f *fake) spoil(bad fault, text string) {
	time.Sleep(time.Duration(bad.Delay) * time.Millisecond)
	switch bad.Kind {
	case "hang":
		select {}
	case "exit":
		os.Exit(3)
	case "cut":
		f.emit(text[:min(bad.Bytes, len(text))])
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "garbage":
		f.emit("\x00\xff not a reply {\"id\":\n")
	case "error":
		fmt.Fprintln(os.Stderr, "fake: something went wrong")
		os.Exit(1)
	default:
		f.emit(text)
	}
}

// print prints a line, emit a text.
func (f *fake) print(v object) { f.emit(string(asJSON(v)) + "\n") }

func (f *fake) emit(text string) {
	f.out.Lock()
	defer f.out.Unlock()
	io.WriteString(os.Stdout, text)
}

// contains fails a test when a text lacks a part.
func contains(t *testing.T, what, text, part string) {
	t.Helper()
	must.Contain(t, text, part, "%s does not contain", what)
}

// lacks fails a test when a text has a part; wrong says what that means.
func lacks(t *testing.T, wrong, text, part string) {
	t.Helper()
	must.Lack(t, text, part, "%s", wrong)
}

// wantCount fails a test when there are not as many as there should be.
func wantCount(t *testing.T, what string, got, want int) {
	t.Helper()
	must.Equal(t, got, want, "%s", what)
}

// helper is an extension with what RPC mode cannot do.
func helper(t *testing.T) string {
	t.Helper()
	p := must.Get(filepath.Abs("testdata/helper.ts"))(t)
	return p
}

// gone waits until no process of a fake is left.
func (f *fake) gone(t *testing.T) {
	t.Helper()
	f.goneBefore(t, len(f.starts()))
}

// goneBefore waits until none of the first n processes of a fake is left.
func (f *fake) goneBefore(t *testing.T, n int) {
	t.Helper()
	left := func() []int { return alive(f.starts()[:n]) }
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if len(left()) == 0 {
			return
		}
	}
	t.Errorf("still running: %v", left())
}

// alive are the processes of a fake that run.
func (f *fake) alive() []int { return alive(f.starts()) }

// alive are those of some processes that run.
func alive(started []logged) []int {
	var pids []int
	for _, l := range started {
		if running(l.PID) {
			pids = append(pids, l.PID)
		}
	}
	return pids
}

// running reports whether a process is there and no zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
