package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/internal/must"
)

// agreeing is an agent in a recorded session, whose files are there.
type agreeing struct {
	*piAgent
	leaf string
	n    int
}

func newAgreeing(t *testing.T, session, layout string) *agreeing {
	t.Helper()
	a := &agreeing{piAgent: newAgent(t)}
	a.config(fmt.Sprintf("[objects]\nenabled = true\ntools = true\nlayout = %q\n[prune]\npolicy = \"seed\"\n[prune.seed]\nminimum = 1\nprotect = 0\nprotected_turns = 1\n", layout))
	data := must.Get(os.ReadFile(filepath.Join("../testdata/sessions", session)))(t)
	text := strings.ReplaceAll(string(data), "/home/dev/shop", a.project)
	for _, m := range regexp.MustCompile(`"path":"([a-z][a-z/.-]*\.[a-z]+)"`).FindAllStringSubmatch(text, -1) {
		a.write(m[1], "text of "+m[1]+"\n")
	}
	must.Do(t, os.WriteFile(a.file, []byte(text), 0o600))
	s := must.Get(pi.Open(a.file))(t)
	defer s.Close()
	a.leaf, a.id = s.Leaf(), s.Header.ID
	a.once("session_start", a.request("session_start", a.leaf, map[string]any{"reason": "startup"}))
	return a
}

// entry writes an entry to the session.
func (a *agreeing) entry(parent, body string) {
	a.t.Helper()
	a.n++
	id := fmt.Sprintf("added%03d", a.n)
	a.append(`{%s,"id":%q,"parentId":%q,"timestamp":"2026-11-21T10:00:00.000Z"}`, body, id, parent)
	a.leaf = id
}

// model calls a tool, and keeps what comes of it.
func (a *agreeing) model(name string, params any) string {
	a.t.Helper()
	r := a.tool(a.leaf, name, params)
	a.leaf = a.keep(r, a.leaf)
	return r.Result.Text
}

// onBranch are the entries of the session where it stands.
func (a *agreeing) onBranch() []string {
	a.t.Helper()
	s := must.Get(pi.Open(a.file))(a.t)
	defer s.Close()
	var out []string
	for _, n := range s.Tree.Path(s.Leaf()) {
		out = append(out, n.ID)
	}
	return out
}

// states are those that the agent's tool tells the model, by object.
func (a *agreeing) states() map[string]string {
	a.t.Helper()
	out := make(map[string]string)
	for _, filter := range []string{"type:toolcall", "type:file"} {
		for line := range strings.Lines(a.model("objects", map[string]any{"filter": filter})) {
			line = strings.TrimSpace(line)
			if id, _, ok := strings.Cut(line, " "); ok && strings.HasPrefix(id, "o-") {
				out[id] = line[strings.LastIndex(line, ", ")+2:]
			}
		}
	}
	return out
}

// shellStates are those that a person is told at a shell.
func (a *agreeing) shellStates() map[string]string {
	a.t.Helper()
	code, text := a.shell("object", "list", "--session", a.id, "--json")
	if code != 0 {
		a.t.Fatalf("exit %d: %s", code, text)
	}
	out := make(map[string]string)
	for line := range strings.Lines(text) {
		var o struct{ ID, State string }
		must.Do(a.t, json.Unmarshal([]byte(line), &o))
		out[o.ID] = o.State
	}
	return out
}

// compare compares what the two say of each object, and how many are active.
func (a *agreeing) compare(after string) (active, inactive int) {
	a.t.Helper()
	model, shell := a.states(), a.shellStates()
	for id, state := range model {
		if shell[id] != state {
			_, why := a.shell("object", "why", id, "--session", a.id)
			a.t.Errorf("after %s: %s is %s for the model, and at the shell %s", after, id, state, why)
		}
		if state == "active" {
			active++
		} else {
			inactive++
		}
	}
	return active, inactive
}

// What is said at a shell of where objects are is what the agent's own tool tells the
// model, whatever was done before: by the model, at a shell, by pruning, by compaction,
// and on whatever branch.
func TestTheShellAndTheModelSeeTheSameObjects(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ session, layout string }{
		{"notes-0.73.jsonl", "inline"}, {"shop-fork.jsonl", "pools"},
	} {
		t.Run(c.session, func(t *testing.T) {
			t.Parallel()
			a := newAgreeing(t, c.session, c.layout)
			r := rand.New(rand.NewPCG(uint64(i), 1))
			active, inactive := a.compare("nothing")
			for range 10 {
				on, off := a.compare(a.something(r))
				active, inactive = active+on, inactive+off
			}
			if active == 0 || inactive == 0 { // nothing was compared
				t.Errorf("%d active, %d inactive", active, inactive)
			}
		})
	}
}

// something is done at random; it returns what.
func (a *agreeing) something(r *rand.Rand) string {
	a.t.Helper()
	states := a.shellStates()
	var ids []string
	for id := range states {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := ids[r.IntN(len(ids))]
	switch r.IntN(6) {
	case 0, 1:
		return "deactivate " + id + ": " + a.model("deactivate", map[string]any{"id": id})
	case 2:
		return "activate " + id + ": " + a.model("activate", map[string]any{"id": id})
	case 3:
		_, out := a.shell("object", "deactivate", id, "--session", a.id)
		return "at the shell: deactivate " + id + ": " + out
	case 4:
		_, reply := a.forced(a.leaf)
		a.leaf = a.keep(reply, a.leaf)
		return "prune"
	}
	path := a.onBranch()
	from := path[len(path)/2+r.IntN(len(path)/2)]
	if r.IntN(2) == 0 {
		a.entry(a.leaf, fmt.Sprintf(`"type":"compaction","summary":"what was","firstKeptEntryId":%q,"tokensBefore":1000`, from))
		return "compaction from " + from
	}
	a.entry(from, `"type":"custom","customType":"x","data":{}`)
	return "another branch at " + from
}

// Most sessions have no tools for objects: nothing is composed, looked for or watched for them.
func TestWithoutObjectToolsOnlyFilesAndCallsAreRecorded(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]bool{"": false, "objects.tools = true\n": true, "objects.layout = \"pools\"\n": true} {
		p := newAgent(t)
		p.config(settings)
		leaf := p.wholeSession("notes-1.5.jsonl")
		for _, event := range []string{"session_start", "before_agent_start", "turn_end", "agent_end"} {
			p.once(event, p.request(event, leaf, map[string]any{"reason": "startup", "prompt": "go", "systemPrompt": "You are.", "systemPromptHash": "h"}))
		}
		code, text := p.shell("object", "list", "--json", "--jq", ".type")
		got := strings.Contains(text, "chat") && strings.Contains(text, "system_prompt")
		must.Not(t, code != 0 || got != want || !strings.Contains(text, "toolcall"), "%q: exit %d, chat and prompt %v:\n%s", settings, code, got, text)
	}
}
