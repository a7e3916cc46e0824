//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// eventsOf are the events of requests, in order.
func eventsOf(all []envelope) []string {
	var names []string
	for _, e := range all {
		names = append(names, e.Event)
	}
	return names
}

func TestASessionWithoutAFileSendsEachEntryOnce(t *testing.T) {
	t.Parallel()
	everyWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.noSession = true
		f := h.fake(t, "listens", transport)
		look(t, h)
		if files := h.sessions(t); len(files) > 0 {
			t.Errorf("session files: %v", files)
		}
		times, results := map[string]int{}, 0
		for _, e := range f.log("") {
			must.Equal(t, e.Session.File, "", "%s names a file", e.Event)
			for _, raw := range e.Entries {
				var one entry
				must.Do(t, json.Unmarshal(raw, &one))
				times[one.ID]++
				if times[one.ID] == 1 && one.Message.Role == "toolResult" {
					results++
				}
			}
		}
		for id, n := range times {
			// pi 0.73 does not wait for what it tells an extension: the next
			// request may go out before the answer that acknowledges an entry.
			if n != 1 && version != pi073 {
				t.Errorf("entry %s was sent %d times", id, n)
			}
		}
		if results != 3 {
			t.Errorf("%d tool results were sent, want 3", results)
		}
	})
}

func TestPrintAndJSONRunsEndWell(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := newHome(t, version)
		for transport, mode := range map[string][]string{"serve": {"-p", "Say hello."}, "oneshot": {"--mode", "json", "Say hello."}} {
			h.env = nil
			f := h.fake(t, "listens", transport)
			h.model.play(use("ls", nil), say("hello there"))
			r := h.run(t, mode...)
			// pi 0.73 ends its JSON while an extension still hears of earlier events.
			whole := strings.Contains(r.stdout, "hello there") || version == pi073 && mode[0] == "--mode"
			if r.code != 0 || !whole || r.stderr != "" {
				t.Errorf("%v: exit %d\n%s\n%s", mode, r.code, r.stdout, r.stderr)
			}
			if mode[0] == "--mode" {
				for line := range strings.Lines(r.stdout) {
					if !json.Valid([]byte(line)) {
						t.Errorf("among the JSON is %q", line)
					}
				}
			}
			for _, e := range f.log("") {
				want := map[bool]string{true: "print", false: "json"}[mode[0] == "-p"]
				if version != pi073 && e.Mode != want || e.HasUI {
					t.Errorf("%v: mode %q, hasUI %v", mode, e.Mode, e.HasUI)
				}
			}
			wantCount(t, "shut down", len(f.log("session_shutdown")), 1)
			f.gone(t)
		}
	})
}

func TestPisTrustDecisionReachesPictx(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		if version == pi073 {
			return // it asks nobody whether to trust a project, and has no such flags
		}
		for flag, want := range map[string]string{"--approve": "yes", "--no-approve": "no"} {
			t.Run(flag, func(t *testing.T) {
				t.Parallel()
				h := newHome(t, version)
				// A project without settings of its own has nothing to trust.
				h.write(t, ".pi/settings.json", "{}")
				h.flags = []string{flag}
				f := h.fake(t, "listens", transport)
				h.once(t, "Hi.", say("ok"))
				first := map[string]string{"serve": "hook --serve --trust ", "oneshot": "hook hello --trust "}[transport]
				must.Equal(t, strings.Join(f.starts()[0].Args, " "), first+want, "started with")
				for _, e := range f.log("") {
					if e.Trusted == nil || *e.Trusted != (want == "yes") {
						t.Errorf("%s: trusted %v", e.Event, e.Trusted)
					}
				}
			})
		}
	})
}

func TestAPiStartedByAPiIsReportedAsNested(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "listens", transport)
		cmd := h.command(t, "-p", "Say hello.")
		script := "exec env -u PI_CODING_AGENT_SESSION " + quoted(cmd.Args) + " </dev/null"
		h.write(t, "inner.sh", script)
		h.once(t, "Start another.", use("bash", object{"command": "sh inner.sh"}), say("inner"), say("outer"))
		h.model.check(t)
		byMode := map[string]bool{}
		for _, e := range f.log("") {
			byMode[e.Mode] = e.Nested != nil && *e.Nested
		}
		if byMode["rpc"] || !byMode["print"] {
			t.Errorf("nested by mode: %v", byMode)
		}
	})
}

// quoted is a command line for a shell.
func quoted(args []string) string {
	var all []string
	for _, a := range args {
		all = append(all, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	return strings.Join(all, " ")
}

func TestNothingIsLeftWhenPiIsKilled(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, transport string) {
		h, f := fakeHome(t, newest, "listens", transport)
		h.model.play(say("ok"))
		p := h.start(t)
		p.prompt("Hi.")
		if transport == "serve" && len(f.alive()) != 1 {
			t.Fatalf("processes: %v", f.alive())
		}
		syscall.Kill(p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.exited
		f.gone(t)
	})
}

func TestASecondCopyOfTheExtensionDoesNothing(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "declares", transport)
		h.tools = ""
		copied := filepath.Join(h.agent, "extensions", "pictx")
		must.Do(t, os.CopyFS(copied, os.DirFS(filepath.Dir(extension(t)))))
		h.once(t, "Hi.", say("ok"))
		if n := len(f.starts()); transport == "serve" && n != 1 {
			t.Errorf("%d processes were started, want 1", n)
		}
		wantCount(t, "contexts were asked about", len(f.log("context")), 1)
	})
}

func (s *stage) whereFrom() {
	s.look()
	t, h, file := s.t, s.h, s.sessionFile()
	for _, e := range s.f.log("") {
		if e.V != 1 || e.CWD != h.cwd || e.Mode != "rpc" || !e.HasUI || e.Session.File != file || e.Session.ID == "" {
			t.Errorf("%s: %.400s", e.Event, e.Raw)
		}
		if !slices.Contains(e.Can, "complete") || e.Model == nil || e.Model.Provider != "openai-local" || len(e.Entries) > 0 || e.Nested != nil && *e.Nested {
			t.Errorf("%s: %.400s", e.Event, e.Raw)
		}
	}
	s.do(object{"type": "new_session"})
	got := eventsOf(s.f.log(""))
	want := []string{"session_start", "before_agent_start", "context", "tool_result", "turn_end", "agent_end", "session_shutdown"}
	for _, e := range want {
		if !slices.Contains(got, e) {
			t.Errorf("%s was not sent: %v", e, got)
		}
	}
}

func (s *stage) quiet() {
	s.look()
	got := slices.DeleteFunc(eventsOf(s.f.log("")), func(e string) bool { return e == "session_shutdown" }) // of the session before
	if len(got) > 0 {
		s.t.Errorf("sent: %v", got)
	}
}
