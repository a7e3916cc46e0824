//go:build unix

package e2e

import (
	"bytes"
	"database/sql"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
)

// messages are those of requests, without what pictx declares.
func messages(all []request) [][]byte {
	var out [][]byte
	for _, r := range all {
		var raws [][]byte
		for _, m := range r.Messages {
			raws = append(raws, m.Raw)
		}
		out = append(out, bytes.Join(raws, []byte("\n")))
	}
	return out
}

// messagesOf are those of request bodies.
func messagesOf(bodies [][]byte) [][]byte {
	all := make([]request, len(bodies))
	for i, raw := range bodies {
		all[i] = parseMessages("/v1/chat/completions", raw)
	}
	return messages(all)
}

// storeFile is the store of the project, which it makes of a session from elsewhere: no pi
// has to be started for it.
func (h *home) storeFile(t *testing.T) string {
	t.Helper()
	session := must.Get(filepath.Abs(filepath.Join(root, "testdata", "sessions", "notes-1.5.jsonl")))(t)
	h.ok(t, "import", session)
	files, err := filepath.Glob(filepath.Join(h.agent, "pictx", "*.db"))
	must.Stop(t, err != nil || len(files) != 1, "stores: %v %v", files, err)
	return files[0]
}

// open opens a store beside pictx.
func open(t *testing.T, file string) *sql.DB {
	t.Helper()
	db := must.Get(sql.Open(sqlhook.Driver, file))(t)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// spoil replaces a store by what is not one.
func spoil(t *testing.T, file string) {
	t.Helper()
	for _, side := range []string{"", "-wal", "-shm"} {
		os.Remove(file + side)
	}
	must.Do(t, os.WriteFile(file, bytes.Repeat([]byte("no store "), 2000), 0o600))
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	must.Get(db.Exec(statement))(t)
}

// ruin are ways in which a store, or what belongs to it, can be no good. Each
// returns how often a person is told.
func ruin() map[string]func(*testing.T, *home) int {
	return map[string]func(*testing.T, *home) int{
		"the store is locked": func(t *testing.T, h *home) int {
			execute(t, open(t, h.storeFile(t)), "BEGIN EXCLUSIVE")
			return 0 // it can be read, and what is to be written can wait
		},
		"the store is garbage": func(t *testing.T, h *home) int {
			file := h.storeFile(t)
			spoil(t, file)
			return 1
		},
		"the place of stores is a file": func(t *testing.T, h *home) int {
			must.Do(t, os.WriteFile(filepath.Join(h.agent, "pictx"), []byte("in the way"), 0o600))
			return 1
		},
	}
}

func TestRequestsStayTheSameWhenTheStoreIsUnusable(t *testing.T) {
	t.Parallel()
	for name, ruined := range ruin() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyPi(t, func(t *testing.T, version string) {
				want := messagesOf(lookPlainly(t, version))
				h := newHome(t, version)
				h.real(t, transportOf(version))
				h.tools = allTools + ",lcm_grep,lcm_expand"
				h.env = []string{"PICTX_HOOK_MS=1000"} // whoever waits for a lock gives up
				told := ruined(t, h)
				p := look(t, h)
				same(t, want, messagesOf(h.sent()))
				if n := len(p.notices()); n != told {
					t.Errorf("told %q, want %d", p.notices(), told)
				}
			})
		})
	}
}

// A pi that keeps no edits gets them before every call. Once they are in
// force, a store that breaks does not take them back.
func TestPrunedResultsStayPrunedWhenTheStoreBreaks(t *testing.T) {
	t.Parallel()
	alsoOldest(t, func(t *testing.T, version string) {
		h := realHome(t, version, transportOf(version), eager).always()
		file := h.storeFile(t)
		p := h.start(t)
		study(t, p, "alpha", "beta", "gamma")
		before := h.model.last(t).pruned()
		spoil(t, file)
		study(t, p, "delta")
		p.close()
		steady(t, h.model.turns())
		now := h.model.last(t).pruned()
		must.Not(t, before == 0 || now < before, "%d results are pruned, before %d", now, before)
	})
}

func TestRequestsStayTheSameWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		want := messagesOf(lookPlainly(t, version))
		h := newHome(t, version)
		small := filepath.Join(h.agent, "pictx")
		must.Do(t, os.MkdirAll(small, 0o700))
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small).CombinedOutput(); err != nil {
			t.Skipf("not run: a small file system cannot be mounted here: %s", bytes.TrimSpace(out))
		}
		t.Cleanup(func() { exec.Command("umount", "-l", small).Run() })
		h.real(t, transport)
		h.tools = allTools + ",lcm_grep,lcm_expand"
		p := look(t, h)
		same(t, want, messagesOf(h.sent()))
		n := p.notices()
		must.Not(t, len(n) != 1 || !strings.Contains(n[0], "full"), "told %q", n)
	})
}

// children are the processes below one that serve hooks.
func children(pid int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		return nil
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) > 3 && f[1] == strconv.Itoa(pid) && strings.Contains(line, "hook --serve") {
			if child, err := strconv.Atoi(f[0]); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

func TestAPictxKilledAtAnyMomentLosesNothing(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("not run: ps is not installed, which finds the process to kill")
	}
	eachWay(t, func(t *testing.T, version, _ string) {
		h := newHome(t, version)
		h.real(t, "serve") // a process for one event is hardly ever there to be killed
		h.configure(t, eager)
		p := h.start(t)
		stop, killed := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					killed <- n
					return
				case <-time.After(time.Duration(50+rand.IntN(150)) * time.Millisecond):
				}
				for _, pid := range children(p.cmd.Process.Pid) {
					if syscall.Kill(pid, syscall.SIGKILL) == nil {
						n++
					}
				}
			}
		}()
		study(t, p, "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
		close(stop)
		if n := <-killed; n == 0 {
			t.Error("nothing was killed")
		}
		study(t, p, "iota", "kappa")
		p.close()
		// Every request repeats the one before, but for new markers; none is lost.
		steady(t, h.model.turns())
		if n := len(p.notices()); n > 2 { // that pictx failed, and that it pruned
			t.Errorf("notices: %q", p.notices())
		}
		h.resume(t, "Go on.", say("on")) // prunes, if every process that should have was killed
		h.elapse(t, 2*time.Hour)         // a warm cache keeps the tools that it has
		h.resume(t, "Is everything there?", use("lcm_grep", object{"query": "alpha"}), say("undisturbed"))
		contains(t, "what lcm_grep says", latest(t, h.model), "alpha has a line")
		steady(t, h.model.turns())
		h.stored(t)
		out, code := h.cli(t, "doctor")
		must.Not(t, code == 12, "the store is damaged: %s", out)
	})
}

// It is waited for no longer than any other, and what it did not say is not missed.
func TestRequestsStayTheSameWhenPictxHangs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("not run: ps is not installed, which finds the process to stop")
	}
	eachWay(t, func(t *testing.T, version, _ string) {
		play := func(h *home, between func(p *rpc)) *rpc {
			h.empty(t)
			h.write(t, "notes.txt", "some notes\n")
			h.model.play(say("ok"), use("read", object{"path": "notes.txt"}), use("ls", nil), say("the end"))
			p := h.start(t)
			p.prompt("Hi.")
			between(p)
			p.prompt("Look around.")
			p.close()
			return p
		}
		h := newHome(t, version)
		play(h, func(*rpc) {})
		want := messages(h.model.all())
		h.real(t, "serve")
		h.tools = allTools + ",lcm_grep,lcm_expand"
		h.env = []string{"PICTX_HOOK_MS=1500"} // a loaded machine starts it in that time
		h.model = newModel(t)
		p := play(h, func(p *rpc) {
			stopped := children(p.cmd.Process.Pid)
			for _, pid := range stopped { // the extension ends it
				syscall.Kill(pid, syscall.SIGSTOP)
			}
			must.Not(t, len(stopped) == 0, "nothing was stopped")
		})
		same(t, want, messages(h.model.all()))
		n := p.notices()
		must.Not(t, len(n) != 1, "told %q", n)
	})
}
