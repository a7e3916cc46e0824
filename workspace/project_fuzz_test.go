package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// What an unpacked archive says in the files of git, in circles or beyond measure, never opens
// the store of another project.
func FuzzAForgedGitDirectoryOpensNoOtherStore(f *testing.F) {
	f.Add("gitdir: ../victim/.git", "../.git", "../../victim/.git", "[core]\n\tworktree = ..\n", "gitdir: ..")
	f.Add("gitdir: .git", ".git", ".", "", "")                                           // itself
	f.Add("gitdir: fake", "../.git", "../fake", "", "gitdir: ../../.git")                // round in a circle
	f.Add("gitdir: fake/worktrees/x", "../../../.git", "../..", "", "gitdir: ../.git")   // like a real work tree
	f.Add("gitdir: ../victim/.git/worktrees/evil", "", "", "", "")                       // one that the victim does not list
	f.Add(strings.Repeat("gitdir: ", 10_000), strings.Repeat("../", 30_000), "", "", "") // more than is read
	f.Add("gitdir: fake\n", "", "", strings.Repeat("[core]\nworktree=..\n", 5000), "\x00")
	f.Add("gitdir: fake\n", "", "", "[CORE]\nWorkTree = \"/\"\n", "gitdir: /")
	f.Add("gitdir: fake\n", "", "", "[core]\nworktree = "+strings.Repeat("a", 70_000), "")
	f.Fuzz(func(t *testing.T, dot, back, common, config, deeper string) {
		dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
		evil, victim := filepath.Join(dir, "evil"), filepath.Join(dir, "victim")
		must.Do(t, os.MkdirAll(filepath.Join(victim, ".git"), 0o700))
		for name, text := range map[string]string{
			".git": dot, "fake/gitdir": back, "fake/commondir": common, "fake/config": config, "fake/.git": deeper,
			"fake/worktrees/x/gitdir": back, "fake/worktrees/x/commondir": common, "fake/worktrees/x/config": config,
		} {
			write(t, filepath.Join(evil, name), text)
		}
		theirs := must.Get(workspace.FindProject(victim, "/nowhere/.pi/agent"))(t)
		for _, at := range []string{evil, filepath.Join(evil, "fake"), filepath.Join(evil, "fake", "worktrees", "x")} {
			p, err := workspace.FindProject(at, "/nowhere/.pi/agent")
			if err == nil && (p.Key == theirs.Key || strings.HasPrefix(p.Git, victim+string(filepath.Separator)) || !strings.HasPrefix(p.Root+"/", evil+"/")) {
				t.Errorf("from %s: %+v", at, p)
			}
		}
	})
}
