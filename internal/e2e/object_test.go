//go:build unix

package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// objectsHome is a home in which the model has tools for objects.
func objectsHome(t *testing.T, version, transport string) *home {
	t.Helper()
	h := autoHome(t, version, transport)
	h.configure(t, "objects.tools = true\n")
	return h
}

// reads is a turn in which the model reads a file of the given size, which no rule of
// pruning takes for old.
func (h *home) reads(t *testing.T, name string, tokens int) turn {
	t.Helper()
	h.file(t, name, tokens)
	return use("read", object{"path": name + ".txt"})
}

func activates(id string) turn   { return use("activate", object{"id": id}) }
func deactivates(id string) turn { return use("deactivate", object{"id": id}) }

// result is the newest tool result of a request.
func (r request) result() string {
	all := r.results()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// Holds objects 24, 28, 36, 37, 38, 39.
func TestTheModelDeactivatesAndActivates(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := objectsHome(t, version, transport)
		p := h.start(t)
		first := p.ask("One.", h.reads(t, "one", 9000), say("read"))
		second := p.ask("Two.", deactivates("one.txt"), glance(), say("done"))
		contains(t, "the answer", second[1].result(), "is inactive (")
		wantMarks(t, "while the turn is running", second, 0, 0, 0)
		reference := p.ask("More.", say("more"))[0].results()[0]
		if id, ok := marked(reference); !ok || !strings.Contains(reference, "read one.txt") || !strings.Contains(reference, ", deactivated;") || id == "" {
			t.Fatalf("the reference is %.200q", reference)
		}
		third := p.ask("Three.", deactivates("one.txt"), activates(reference), activates("one.txt"), say("seen"))
		contains(t, "a second time", third[1].result(), "is inactive already")
		contains(t, "what comes back", third[2].result(), first[1].results()[0][:2000])
		contains(t, "the line before it", third[2].result(), "read one.txt:\n")
		contains(t, "the third time", third[3].result(), "already active")
		must.Equal(t, third[3].results()[0], reference, "the reference became")
		h.goesOn(t, p, third[3])
	})
}

// goesOn wants the states of objects to hold on other branches, in forks and after a
// start.
func (h *home) goesOn(t *testing.T, p *rpc, last request) {
	t.Helper()
	p.moveTo("1")
	before := p.ask("Two.", glance(), say("two"))
	must.Equal(t, before[1].marks(), 0, "markers before it was deactivated")
	p.moveTo("2")
	again := p.ask("Three.", say("three again"))
	fork(t, p)
	forked := p.ask("Three.", say("three"))
	wantSame(t, "a fork", again[0], forked[0])
	n := forked[0].marks()
	must.Not(t, n != 1 || forked[0].results()[0] != last.results()[0], "%d markers in a fork", n)
	p.close()
	h.model.play(say("resumed"))
	p = h.start(t, "--continue")
	p.prompt("Go on.")
	must.Equal(t, h.model.last(t).marks(), 1, "markers after a start")
	p.finish()
	h.stored(t)
}

// stranger is an extension that has a tool of ours in its factory.
const stranger = `export default function (pi) {
  pi.registerTool({ name: "activate", label: "activate", description: "another tool", parameters: { type: "object", properties: { id: { type: "string" } } },
    execute: async () => ({ content: [{ type: "text", text: "the stranger acts" }] }) });
}
`

func TestAToolOfAnotherExtensionIsKept(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		h := realHome(t, version, "serve", "objects.tools = true\n")
		h.write(t, "../stranger.ts", stranger)
		h.extensions = append(h.extensions, h.dir+"/stranger.ts")
		p := h.start(t)
		all := p.ask("One.", activates("one"), say("done"))
		contains(t, "the result", all[1].result(), "the stranger acts")
		contains(t, "what the person is told", strings.Join(p.notices(), "\n"), "pictx leaves out its tool activate: ")
		p.finish()
	})
}

// poolsHome is a home with the layout pools.
func poolsHome(t *testing.T, version, transport string) *home {
	t.Helper()
	h := realHome(t, version, transport, "objects.layout = \"pools\"\n")
	return h
}

// pools are the parts of a request: the catalogue, what stands for tool results, and
// what is active.
func (r request) pools(t *testing.T) (catalogue string, references, active []string) {
	t.Helper()
	for i, m := range r.Messages {
		switch {
		case strings.HasPrefix(m.Text, "METADATA_POOL\n"):
			must.Equal(t, i, 0, "the catalogue is message")
			catalogue = m.Text
		case strings.HasPrefix(m.Text, "ACTIVE_CONTENT id="):
			active = append(active, m.Text)
		case len(active) > 0:
			t.Errorf("message %d comes after the active content: %.200q", i, m.Text)
		}
	}
	return catalogue, r.results(), active
}

var poolReference = regexp.MustCompile(`^toolcall_ref id=(o-[0-9a-f]{12}) tool=(\w+) status=(ok|fail)$`)

// Holds objects 50.
func TestDeactivatedObjectsStayInactiveWhenTheStoreBreaks(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := objectsHome(t, version, transport)
		file := h.storeFile(t)
		p := h.start(t)
		p.ask("One.", h.reads(t, "one", 9000), say("read"))
		second := p.ask("Two.", deactivates("one.txt"), glance(), say("done"))
		spoil(t, file)
		third := p.ask("Three.", activates("one.txt"), say("on"))
		last := h.model.last(t)
		if want := second[2].results()[0]; third[0].results()[0] != want || last.results()[0] != want {
			t.Errorf("the reference became %.200q", last.results()[0])
		}
		p.close()
	})
}

// Holds objects 26, 27, 29, 30.
func TestTheContextIsLaidOutInPools(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := poolsHome(t, version, transport)
		p := h.start(t)
		turns := []turn{h.reads(t, "one", 300)}
		for range 6 {
			turns = append(turns, glance())
		}
		all := p.ask("One.", append(turns, say("done"))...)
		last := all[len(all)-1]
		catalogue, references, active := last.pools(t)
		if len(references) != 7 || len(active) != 5 {
			t.Fatalf("%d references, %d active:\n%s", len(references), len(active), last.text())
		}
		first := poolReference.FindStringSubmatch(references[0])
		for _, text := range references {
			m := poolReference.FindStringSubmatch(text)
			must.Not(t, m == nil || !strings.Contains(catalogue, "\n- id="+m[1]+" type=toolcall tool="+m[2]+" status="+m[3]), "%.200q is not in\n%s", text, catalogue)
		}
		contains(t, "the catalogue", catalogue, "type=file path="+h.cwd+"/one.txt file_type=txt char_count=")
		got := active[0]
		must.Not(t, !strings.HasSuffix(got, "\nseen\n") && !strings.HasSuffix(got, "\nseen"), "the oldest active content is %.200q", got)
		// The newest is seen at once.
		_, _, then := all[1].pools(t)
		contains(t, "what was just read", strings.Join(then, ""), "one: \"line\" 0 of some text")
		h.poolsMove(t, p, first[1], then[0])
	})
}

// poolsMove wants what is activated and deactivated to move, and a session that is
// resumed to be laid out as before.
func (h *home) poolsMove(t *testing.T, p *rpc, id, content string) {
	t.Helper()
	back := p.ask("Two.", activates(id), glance(), deactivates(id), say("done"))
	contains(t, "the answer", back[1].result(), "is active: its content comes after the chat")
	_, _, active := back[1].pools(t)
	must.Equal(t, active[0], content, "first")
	_, _, active = back[3].pools(t)
	for _, a := range active {
		must.Not(t, a == content, "it is active after it was deactivated")
	}
	p.close()
	last := h.model.last(t)
	h.resume(t, "Go on.", say("resumed"))
	h.model.check(t)
	before, _, _ := last.pools(t)
	after, references, _ := h.model.last(t).pools(t)
	must.Not(t, !strings.HasPrefix(after, before) || len(references) != 10, "%d references, the catalogue was\n%s\nand is\n%s", len(references), before, after)
}

// Holds objects 18, 39.
func TestObjectCommandsInTheShellTakeEffectAtTheNextPrompt(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		h := objectsHome(t, version, "serve")
		h.keepRecent = 500
		p := h.start(t)
		all := p.ask("One.", h.reads(t, "one", 9000), say("read"))
		list := p.ask("Two.", use("objects", object{"filter": "tool:read"}), say("listed"))[1].result()
		id := regexp.MustCompile(`o-[0-9a-f]{12}`).FindString(list)
		session := sessionID(h.session(t))
		h.ok(t, "object", "deactivate", id, "--session", session)
		p.ask("Three.", glance(), say("done"))
		p.tells("/prune") // so short a session is not rewritten unasked
		gone := p.ask("Four.", glance(), say("done"))
		if n := gone[1].marks(); n != 1 {
			t.Errorf("%d markers after pictx object deactivate: %.200q", n, gone[1].results())
		}
		h.ok(t, "object", "activate", id, "--session", session)
		back := p.ask("Five.", say("done"))
		contains(t, "what comes with the prompt", back[0].text(), "The user activated "+id)
		contains(t, "what comes with the prompt", back[0].text(), all[1].results()[0][:2000])
		again := p.ask("Six.", say("done"))
		if n := strings.Count(again[0].text(), "The user activated"); n != 1 {
			t.Errorf("it comes %d times", n)
		}
		// After a compaction it can be activated, too.
		p.ask("Seven.", say(strings.Repeat("long ", 2000)))
		p.compact()
		later := p.ask("Eight.", activates(id), say("seen"))
		lacks(t, "it was not compacted", later[0].text(), all[1].results()[0][:2000])
		contains(t, "what comes back", later[1].result(), all[1].results()[0][:2000])
		p.finish()
	})
}
