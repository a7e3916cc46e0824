//go:build unix

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// real makes home use the program itself. A busy machine is not a reason to go on
// without it, so it has much time.
func (h *home) real(t *testing.T, transport string) {
	t.Helper()
	h.bin, h.transport = pictx(t), transport
	h.env = append(h.env, "PICTX_HOOK_MS=60000")
	h.tools = "" // those it declares are named in no list
}

// realHome makes a home that uses the program itself, with these settings.
func realHome(t *testing.T, version, transport string, toml ...string) *home {
	t.Helper()
	h := newHome(t, version)
	h.real(t, transport)
	if len(toml) > 0 {
		h.configure(t, strings.Join(toml, ""))
	}
	return h
}

// cli runs a command of pictx in the project, as a person would.
func (h *home) cli(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(pictx(t), args...)
	cmd.Dir, cmd.Env = h.cwd, h.environ()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	must.Stop(t, cmd.ProcessState == nil, "pictx %v: %v", args, err)
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 3 {
		t.Logf("pictx %v: %s", args, &stderr)
	}
	return stdout.String(), cmd.ProcessState.ExitCode()
}

// stored wants every entry of every session file in the store, byte for byte: all of
// them in what is exported, and the last by its id.
func (h *home) stored(t *testing.T) {
	t.Helper()
	files := h.sessions(t)
	must.Not(t, len(files) == 0, "there is no session")
	counts := h.listed(t)
	for _, file := range files {
		id := sessionID(file)
		all := entries(t, file)
		if counts[id] < len(all) {
			t.Errorf("session %s has %d entries in the store, %d in its file", id, counts[id], len(all))
		}
		out, _ := h.cli(t, "export", id, "--format", "jsonl")
		kept := strings.Split(out, "\n")
		for _, e := range all {
			if !slices.Contains(kept, string(e.Raw)) {
				t.Errorf("entry %s of session %s is not in the store as pi wrote it: %.300q", e.ID, id, e.Raw)
			}
		}
		if len(all) == 0 {
			continue
		}
		last := all[len(all)-1]
		if out, _ := h.cli(t, "expand", last.ID, "--session", id, "--raw"); strings.TrimSuffix(out, "\n") != string(last.Raw) {
			t.Errorf("entry %s is %.300q, want %.300q", last.ID, out, last.Raw)
		}
	}
}

// sessionID is the id in the name of a session file.
func sessionID(file string) string {
	_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".jsonl"), "_")
	return id
}

// listed is how many entries the store has of each session.
func (h *home) listed(t *testing.T) map[string]int {
	t.Helper()
	out, _ := h.cli(t, "sessions", "--json")
	counts := map[string]int{}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var s struct {
			Session string
			Entries int
		}
		if err := dec.Decode(&s); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		counts[s.Session] = s.Entries
	}
	return counts
}

// finds wants pictx grep to find a word in exactly this many places.
func (h *home) finds(t *testing.T, word string, want int) {
	t.Helper()
	out, code := h.cli(t, "grep", word, "--json")
	n := strings.Count(out, "\n")
	must.Not(t, n != want || (code == 0) != (want > 0), "pictx grep %s finds %d, want %d (exit %d): %.500s", word, n, want, code, out)
}

// life is a session with all that pi puts into one.
func life(t *testing.T, h *home) {
	t.Helper()
	m := h.model
	h.always().tools = allTools + ",lcm_grep,lcm_expand"
	h.write(t, "notes.txt", "first line readword\nsecond line grepword\n")
	h.write(t, "pic.png", string(picture(t)))
	p := h.start(t)
	m.play(
		turn{Thinking: "thinkword", Text: "sayword", Tools: []call{
			{"ls", nil},
			{"read", object{"path": "notes.txt"}},
			{"bash", object{"command": "echo bash''word"}},
			{"grep", object{"pattern": "grepword"}},
			{"find", object{"pattern": "*.png"}},
		}},
		turn{Tools: []call{{"edit", object{"path": "notes.txt", "edits": []object{{"oldText": "first", "newText": "1st"}}}}, {"write", object{"path": "new.txt", "content": "writeword\n"}}}},
		turn{Tools: []call{{"read", object{"path": "missingword.txt"}}, {"bash", object{"command": "echo fail''word >&2; exit 3"}}, {"read", object{"path": "pic.png"}}}},
		say("finalword"),
	)
	p.prompt("Please askword.", object{"type": "image", "data": base64.StdEncoding.EncodeToString(picture(t)), "mimeType": "image/png"})
	p.do(object{"type": "bash", "command": "echo bang''word"})
	steered(p)
	aborted(p)
	p.ask("Be refused.", turn{Status: 400, Error: "refusedword"})
	p.do(object{"type": "set_session_name", "name": "nameword"})
	p.ask("The last one.", say("byeword"))
	p.finish()
}

// steered sends a run another message, and one for afterwards.
func steered(p *rpc) {
	release := make(chan struct{})
	slow := use("ls", nil)
	slow.Wait = release
	p.h.model.play(slow, say("turned"), say("followed"))
	from := p.mark()
	p.do(object{"type": "prompt", "message": "Start."})
	p.wait(from, "the start of the run", func(r record) bool { return r.Type == "agent_start" })
	p.do(object{"type": "steer", "message": "steerword"})
	p.do(object{"type": "follow_up", "message": "followword"})
	close(release)
	p.wait(from, "the end of the run", p.settled)
	p.idle()
}

// aborted stops a run while the model is silent.
func aborted(p *rpc) {
	p.aborts("Wait for abortword.", turn{Text: "unheard", Wait: make(chan struct{})})
}

// aborts prompts, and stops the run while the model is silent.
func (p *rpc) aborts(prompt string, silent turn) {
	p.t.Helper()
	p.h.model.play(silent)
	asked := len(p.h.model.all())
	from := p.mark()
	p.do(object{"type": "prompt", "message": prompt})
	for len(p.h.model.all()) == asked {
		p.do(object{"type": "get_state"})
	}
	p.do(object{"type": "abort"})
	p.wait(from, "the end of the run", p.settled)
	p.idle()
}

func TestEverythingInASessionIsStored(t *testing.T) {
	t.Parallel()
	alsoOldest(t, func(t *testing.T, version string) {
		h := realHome(t, version, transportOf(version))
		life(t, h)
		h.stored(t)
		// The rest is in what is exported, which stored has compared.
		for word, n := range map[string]int{"bashword": 1, "bangword": 1, "followword": 1, "thinkword": 0} {
			h.finds(t, word, n)
		}
		out, _ := h.cli(t, "sessions")
		contains(t, "the list of sessions", out, "nameword")
	})
}

func TestEverySessionOfALifeIsStored(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.real(t, transport)
		h.extensions = []string{helper(t)}
		p := h.start(t)
		ask := func(what string) {
			t.Helper()
			p.ask(what, say("answer to "+what))
		}
		ask("oneword")
		ask("twoword")
		first := p.sessionFile()
		p.moveTo("1 summarize")
		ask("threeword")
		var targets struct {
			Messages []struct{ EntryID, Text string }
		}
		must.Do(t, json.Unmarshal(p.do(object{"type": "get_fork_messages"}).Data, &targets))
		last := targets.Messages[len(targets.Messages)-1]
		p.do(object{"type": "fork", "entryId": last.EntryID})
		ask("fourword")
		p.do(object{"type": "clone"})
		ask("fiveword")
		p.do(object{"type": "new_session"})
		ask("sixword")
		p.slash("/e2e-reload")
		ask("sevenword")
		p.do(object{"type": "switch_session", "sessionPath": first})
		ask("eightword")
		p.close()
		p = h.start(t, "--session", first)
		ask("nineword")
		p.close()
		p = h.start(t, "--continue")
		ask("tenword")
		p.close()
		h.stored(t)
		wantCount(t, "session files", len(h.sessions(t)), 4)
		contains(t, "the first session", text(entries(t, first)), "branch_summary")
	})
}
