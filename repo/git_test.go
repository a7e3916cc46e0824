package repo_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/repo"
)

// hostile is a repository with two commits and a changed file, whose own configuration
// names programs wherever git would run one. Each of them leaves a file in ran.
func hostile(t *testing.T) (dir, ran string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the planted programs are shell scripts")
	}
	dir, ran = t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		gitIn(t, dir, args...)
	}
	write := func(name, text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	git("init", "-q")
	write("a.ts", "one\n")
	write(".gitattributes", "* filter=evil diff=evil\n")
	git("add", ".")
	git("commit", "-qm", "one")
	write("a.ts", "two\n")
	git("commit", "-qam", "two")
	write("a.ts", "three\n")
	var config strings.Builder // a git config for each would be most of what these tests take
	for _, key := range []string{
		"core fsmonitor", "diff external", "core pager", "core hooksPath", `diff "evil" command`, `diff "evil" textconv`,
		`filter "evil" clean`, `filter "evil" smudge`, `filter "evil" process`, "gpg program",
	} {
		at := strings.LastIndexByte(key, ' ')
		name := strings.NewReplacer(" ", ".", `"`, "").Replace(key)
		fmt.Fprintf(&config, "[%s]\n\t%s = \"touch %s; cat\"\n", key[:at], key[at+1:], filepath.Join(ran, name))
	}
	own := must.Get(os.ReadFile(filepath.Join(dir, ".git/config")))(t)
	write(".git/config", string(own)+config.String()+"[log]\n\tshowSignature = true\n")
	return dir, ran
}

// runsNothing runs git as pictx does, and returns what it printed. None of the planted programs
// may have run.
func runsNothing(t *testing.T, dir, ran string, args ...string) string {
	t.Helper()
	cmd := must.Get(repo.Git(t.Context(), dir, args...))(t)
	out, err := cmd.CombinedOutput()
	must.Not(t, err != nil, "git %v: %v\n%s", args, err, out)
	for _, name := range left(t, ran) {
		t.Errorf("git %v ran %s", args, name)
	}
	return string(out)
}

func TestGitRunsNothingThatTheRepositoryConfigures(t *testing.T) {
	dir, ran := hostile(t)
	for _, args := range [][]string{
		{"ls-files", "-z", "--cached", "--others", "--exclude-standard"},
		{"diff", "--name-status", "-z", "HEAD", "--"},
		{"diff", "HEAD~1..HEAD", "--"},
		{"blame", "--line-porcelain", "--", "a.ts"},
		{"log", "--format=%B", "HEAD~1..HEAD"},
	} {
		out := runsNothing(t, dir, ran, args...)
		must.Not(t, args[0] == "diff" && !strings.Contains(out, "a.ts"), "git %v does not see the change: %q", args, out)
	}
}

// git looks for changes in the work tree of a submodule, with the configuration of that.
func TestGitRunsNoFilterOfASubmodule(t *testing.T) {
	inner, ran := hostile(t)
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "m")
	gitIn(t, dir, "commit", "-qm", "one")
	sub := filepath.Join(dir, "m")
	for _, key := range []string{"filter.evil.clean", "core.fsmonitor", "diff.evil.textconv"} {
		gitIn(t, sub, "config", key, "touch "+filepath.Join(ran, key)+"; cat")
	}
	gitIn(t, dir, "config", "diff.submodule", "diff")
	gitIn(t, sub, "checkout", "-q", "HEAD~1") // another commit, which diff.submodule compares in the submodule
	left(t, ran)
	for _, args := range [][]string{{"diff", "HEAD"}, {"diff", "--name-status", "-z", "HEAD", "--"}, {"diff"}} {
		if err := os.WriteFile(filepath.Join(sub, "a.ts"), []byte("six\n"), 0o600); err != nil { // as long as it was
			t.Fatal(err)
		}
		out := runsNothing(t, dir, ran, args...)
		must.Not(t, len(args) < 3 && !strings.Contains(out, "+Subproject commit "), "git %v does not compare the commits: %s", args, out)
	}
	_, _ = exec.Command("git", "-C", dir, "-c", "diff.submodule=short", "diff", "HEAD").CombinedOutput()
	must.Not(t, len(left(t, ran)) == 0, "git itself ran nothing of the submodule: this shows nothing")
}

// What git prints is read as UTF-8.
func TestGitPrintsMessagesInUTF8WhateverIsConfigured(t *testing.T) {
	dir, ran := hostile(t)
	gitIn(t, dir, "commit", "-qm", "größer", "--allow-empty")
	gitIn(t, dir, "config", "i18n.logOutputEncoding", "UTF-16")
	left(t, ran)
	must.Equal(t, runsNothing(t, dir, ran, "log", "-1", "--format=%s"), "größer\n", "git prints")
}

// A partial clone fetches the objects that it lacks, by a command that it may name.
func TestGitFetchesNothingThatIsMissing(t *testing.T) {
	dir, ran := hostile(t)
	object := must.Get(exec.Command("git", "-C", dir, "rev-parse", "HEAD~1:a.ts").Output())(t)
	id := strings.TrimSpace(string(object))
	must.Do(t, os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])))
	program := filepath.Join(t.TempDir(), "fetch")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\ntouch "+filepath.Join(ran, "fetch")+"\n"), 0o700))
	for _, set := range [][2]string{
		{"core.repositoryformatversion", "1"},
		{"extensions.partialClone", "origin"},
		{"remote.origin.promisor", "true"},
		{"remote.origin.url", "ext::" + program},
		{"protocol.ext.allow", "always"},
	} {
		gitIn(t, dir, "config", set[0], set[1])
	}
	for _, args := range [][]string{{"diff", "HEAD~1", "--", "a.ts"}, {"cat-file", "blob", id}} {
		cmd := must.Get(repo.Git(t.Context(), dir, args...))(t)
		out, err := cmd.CombinedOutput()
		must.Not(t, err == nil, "git %v has what is not there: %s", args, out)
		for _, name := range left(t, ran) {
			t.Errorf("git %v ran %s", args, name)
		}
	}
}

func TestAFilterThatCannotBeSwitchedOffIsAnError(t *testing.T) {
	dir, _ := hostile(t)
	gitIn(t, dir, "config", "filter.a=b.clean", "cat")
	if _, err := repo.Git(t.Context(), dir, "diff", "HEAD"); err == nil {
		t.Error("git would run the filter a=b")
	}
	if _, err := repo.Git(t.Context(), dir, "rev-parse", "HEAD"); err != nil {
		t.Errorf("a command that filters nothing: %v", err)
	}
}

// A work tree may have a configuration of its own.
func TestGitRunsNoFilterOfAWorkTree(t *testing.T) {
	dir, ran := hostile(t)
	gitIn(t, dir, "config", "extensions.worktreeConfig", "true")
	gitIn(t, dir, "config", "--remove-section", "filter.evil")
	gitIn(t, dir, "config", "--worktree", "filter.evil.clean", "touch "+filepath.Join(ran, "clean")+"; cat")
	runsNothing(t, dir, ran, "diff", "HEAD")
	if _ = exec.Command("git", "-C", dir, "diff", "HEAD").Run(); len(left(t, ran)) == 0 {
		t.Error("git itself ran nothing: this shows nothing")
	}
}

// A shell, or a program that an agent started, may have set these for git at a terminal.
func TestGitTakesNoProgramFromTheEnvironment(t *testing.T) {
	dir, ran := hostile(t)
	gitIn(t, dir, "config", "--remove-section", "filter.evil")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "filter.evil.clean")
	t.Setenv("GIT_CONFIG_VALUE_0", "touch "+filepath.Join(ran, "clean")+"; cat")
	t.Setenv("GIT_TRACE", filepath.Join(ran, "trace"))
	runsNothing(t, dir, ran, "diff", "HEAD")
}

func TestGitChecksNoSignature(t *testing.T) {
	dir, ran := hostile(t)
	plain := must.Get(exec.Command("git", "-C", dir, "cat-file", "commit", "HEAD").Output())(t)
	signed := strings.Replace(string(plain), "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1)
	write := exec.Command("git", "-C", dir, "hash-object", "-t", "commit", "-w", "--stdin")
	write.Stdin = strings.NewReader(signed)
	id := must.Get(write.Output())(t)
	program := filepath.Join(t.TempDir(), "gpg")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\ntouch "+filepath.Join(ran, "gpg")+"\n"), 0o700))
	gitIn(t, dir, "config", "gpg.program", program)
	log := []string{"log", "--format=%B", "-1", strings.TrimSpace(string(id))}
	runsNothing(t, dir, ran, log...)
	if _ = exec.Command("git", append([]string{"-C", dir}, log...)...).Run(); len(left(t, ran)) == 0 {
		t.Error("git itself ran nothing: this shows nothing")
	}
}

// gitIn runs git itself.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.invalid"}, args...)...)
	out, err := cmd.CombinedOutput()
	must.Stop(t, err != nil, "git %v: %v\n%s", args, err, out)
}

func TestThePlantedProgramsAreRunByGitItself(t *testing.T) {
	dir, ran := hostile(t)
	for _, args := range [][]string{{"diff", "HEAD"}, {"blame", "a.ts"}, {"status"}} {
		_, _ = exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	}
	names := left(t, ran)
	must.Not(t, len(names) < 3, "git ran only %v: the other test shows nothing", names)
}

// left empties a directory and returns the names that were in it.
func left(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		must.Do(t, os.Remove(filepath.Join(dir, e.Name())))
	}
	return names
}

func TestAGitInsideTheProjectIsNotRun(t *testing.T) {
	dir, ran := hostile(t)
	bin := filepath.Join(dir, "bin")
	script := "#!/bin/sh\ntouch " + filepath.Join(ran, "git") + "\n"
	must.Do(t, os.MkdirAll(bin, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	runsNothing(t, dir, ran, "rev-parse", "HEAD")
	sub := filepath.Join(dir, "sub")
	must.Do(t, os.Mkdir(sub, 0o700))
	if cmd, err := repo.Git(t.Context(), sub, "rev-parse", "HEAD"); err != nil || strings.HasPrefix(cmd.Path, bin) {
		t.Errorf("below the root: %v, %v", cmd, err)
	}
	t.Setenv("PATH", bin)
	if _, err := repo.Git(t.Context(), dir, "rev-parse", "HEAD"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("with no other git: %v", err)
	}
}
