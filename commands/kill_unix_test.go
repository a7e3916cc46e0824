//go:build unix

package commands_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
)

// run runs pictx to its end, and returns what it printed. It may find that there is nothing
// left to do.
func (p *interrupted) run(t *testing.T, args string) string {
	t.Helper()
	out, err := p.command(args).CombinedOutput()
	var ended *exec.ExitError
	must.Stop(t, err != nil && (!errors.As(err, &ended) || ended.ExitCode() != exit.NotFound && !strings.Contains(args, "--check")), "pictx %s: %v\n%s", args, err, out)
	return string(out)
}

// installed lists the agent's files but those of the stores, and folders of installers that
// were killed: pi passes over them, and the next setup a minute later removes them.
func (p *interrupted) installed(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	err := fs.WalkDir(os.DirFS(filepath.Join(p.dir, "agent")), ".", func(path string, _ fs.DirEntry, err error) error {
		if path == "pictx" || strings.HasPrefix(path, "extensions/.pictx-tmp-") {
			return fs.SkipDir
		}
		fmt.Fprintln(&out, path)
		return err
	})
	must.Do(t, err)
	return out.String()
}

// killed kills a command at several moments of the time that it takes.
func (p *interrupted) killed(t *testing.T, args string, takes time.Duration) {
	t.Helper()
	const moments = 3
	for n := range moments {
		cmd := p.command(args)
		must.Do(t, cmd.Start())
		time.Sleep(takes * time.Duration(n+1) / (moments + 1))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// A command that was killed leaves nothing that its next run does not make good: it ends as
// one that nobody disturbed, and no temporary file stays.
func TestWritersThatAreKilledEndTheSame(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]struct{ args, shows, before string }{
		"a purge":             {"history purge --match checkout --yes", "history stats --json --jq .entries", "import ../s.jsonl"},
		"the extension":       {"setup pi", "setup pi --check", ""},
		"its removal":         {"uninstall", "setup pi --check", "setup pi"},
		"objects of sessions": {"import ../s.jsonl", "object list --json type:toolcall,file --jq .id", ""},
		"entries":             {"import ../s.jsonl", "history stats --json --jq .entries", ""},
		"settings":            {"config set prune.mode off", "config get prune.mode", ""},
		"settings of a list":  {"config set prune.keep.tools a,b", "config list", ""},
		"decisions":           {"decision init --yes", "decision audit", ""},
		"the code index":      {"kota index", "kota search a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := must.Get(os.ReadFile("../testdata/sessions/shop-main.jsonl"))(t)
			var shown [2]string
			var took time.Duration
			for i := range shown { // undisturbed, then killed
				p := newInterrupted(t)
				p.write(t, "s.jsonl", string(session), 0o600)
				p.write(t, "project/src/a.ts", "export const a = 1\n", 0o600)
				if w.before != "" {
					p.run(t, w.before)
				}
				if i == 1 {
					p.killed(t, w.args, took)
				}
				begun := time.Now()
				p.run(t, w.args)
				took = time.Since(begun)
				shown[i] = strings.ReplaceAll(p.run(t, w.shows), p.dir, "DIR") + p.installed(t)
				p.noTemporary(t)
			}
			must.Not(t, shown[0] != shown[1], "undisturbed:\n%s\nkilled before:\n%s", shown[0], shown[1])
		})
	}
}

// noTemporary checks that no temporary file is left.
func (p *interrupted) noTemporary(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{"tmp/*", "agent/.pictx-*", "agent/pictx/.*", "project/.pi/.*", "project/.pi/decision-memory/.*"} {
		left := must.Get(filepath.Glob(filepath.Join(p.dir, pattern)))(t)
		for _, file := range left {
			must.Equal(t, filepath.Base(file), ".gitignore", "%s is left", file)
		}
	}
}
