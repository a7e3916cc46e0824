package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// scratch returns a temporary directory without symbolic links in its path.
func scratch(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	must.Do(t, os.MkdirAll(dir, 0o700))
	return dir
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func find(t *testing.T, dir string) workspace.Project {
	t.Helper()
	return findWith(t, dir, "/nowhere/.pi/agent")
}

func findWith(t *testing.T, dir, agentDir string) workspace.Project {
	t.Helper()
	p := must.Get(workspace.FindProject(dir, agentDir))(t)
	must.Not(t, len(p.Key) != 16 || strings.Trim(p.Key, "0123456789abcdef") != "", "key %q", p.Key)
	return p
}

// git runs git in a directory, without the user's own configuration.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("not run: no git installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=x", "-c", "user.email=x@example.invalid"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repository creates a git repository with one commit.
func repository(t *testing.T, dir string) string {
	t.Helper()
	git(t, mkdir(t, dir), "init", "-q", ".")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir
}

func TestARepositoryIsOneProjectFromEverywhereInIt(t *testing.T) {
	root := mkdir(t, scratch(t), "repo")
	mkdir(t, root, ".git")
	deep := mkdir(t, root, "a", "b")
	want := find(t, root)
	must.Not(t, want.Root != root || want.Git != filepath.Join(root, ".git"), "%+v", want)
	link := filepath.Join(scratch(t), "link")
	if err := os.Symlink(deep, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	for _, dir := range []string{deep, filepath.Join(root, "gone", "for", "good"), link, filepath.Join(link, "gone"), root + "/./a/.."} {
		must.Equal(t, find(t, dir), want, "%s", dir)
	}
	again := find(t, root)
	must.Not(t, again.Key != want.Key || find(t, mkdir(t, scratch(t), "other")).Key == want.Key, "keys do not tell projects apart: %+v", again)
}

func TestAProjectThatWasRemovedIsFoundByTheStoreItLeft(t *testing.T) {
	for _, inside := range []string{".git", "."} {
		agent := scratch(t)
		root := mkdir(t, scratch(t), "repo")
		mkdir(t, root, inside)
		was := findWith(t, root, agent)
		must.Do(t, os.RemoveAll(root))
		if p, ok := workspace.LeftProject(root, agent); ok {
			t.Errorf("without a store: %+v", p)
		}
		mkdir(t, filepath.Dir(was.StorePath()))
		must.Do(t, os.WriteFile(was.StorePath(), nil, 0o600))
		if p, ok := workspace.LeftProject(root, agent); !ok || p.Root != root || p.Key != was.Key {
			t.Errorf("%s: %+v, %v, want %+v", inside, p, ok, was)
		}
	}
}

func TestWorkTreesOfARepositoryShareAStore(t *testing.T) {
	dir := scratch(t)
	main := repository(t, filepath.Join(dir, "main"))
	linked := filepath.Join(dir, "linked")
	git(t, main, "worktree", "add", "-q", linked)
	a, b := find(t, main), find(t, mkdir(t, linked, "sub"))
	must.Not(t, b.Root != linked || a.Key != b.Key || a.Git != b.Git, "main %+v, linked %+v", a, b)
	bare := filepath.Join(dir, "bare.git")
	git(t, dir, "clone", "-q", "--bare", main, bare)
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	git(t, bare, "worktree", "add", "-q", one, "-b", "one")
	git(t, bare, "worktree", "add", "-q", two, "-b", "two")
	if a, b := find(t, one), find(t, two); a.Key != b.Key || a.Git != bare || b.Root != two {
		t.Errorf("of a bare repository: %+v, %+v", a, b)
	}
}

func TestASubmoduleIsAProjectOfItsOwn(t *testing.T) {
	dir := scratch(t)
	lib := repository(t, filepath.Join(dir, "lib"))
	super := repository(t, filepath.Join(dir, "super"))
	git(t, super, "submodule", "-q", "add", lib, "vendor/lib")
	sub := find(t, filepath.Join(super, "vendor", "lib"))
	must.Not(t, sub.Root != filepath.Join(super, "vendor", "lib") || sub.Git != filepath.Join(super, ".git", "modules", "vendor", "lib"), "%+v", sub)
	must.Not(t, sub.Key == find(t, super).Key || sub.Key == find(t, lib).Key, "it shares a store")
	evil := filepath.Join(super, "evil")
	write(t, filepath.Join(evil, ".git"), "gitdir: ../.git/modules/vendor/lib\n")
	got := find(t, evil)
	must.Not(t, got.Key == sub.Key || got.Root != evil, "another directory claims to be it: %+v", got)
}

// A .git file from an archive may name any repository.
func TestAForgedGitFileDoesNotOpenAnotherStore(t *testing.T) {
	dir := scratch(t)
	secret := repository(t, filepath.Join(dir, "secret"))
	linked := filepath.Join(dir, "linked")
	git(t, secret, "worktree", "add", "-q", linked)
	key := find(t, secret).Key
	for name, files := range map[string]map[string]string{
		"names the repository":       {".git": "gitdir: ../secret/.git"},
		"absolute":                   {".git": "gitdir: " + secret + "/.git\n"},
		"names a work tree's":        {".git": "gitdir: ../secret/.git/worktrees/linked\n"},
		"brings a directory along":   {".git": "gitdir: fake", "fake/gitdir": "../.git\n", "fake/commondir": "../../secret/.git\n"},
		"brings one like a real one": {".git": "gitdir: x/worktrees/y", "x/worktrees/y/gitdir": "../../../.git", "x/worktrees/y/commondir": "../../../../secret/.git"},
		"brings a configuration":     {".git": "gitdir: fake", "fake/config": "[core]\n\tworktree = ..\n"},
		"names a module":             {".git": "gitdir: ../secret/.git/modules/evil"},
	} {
		evil := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		for file, text := range files {
			write(t, filepath.Join(evil, file), text)
		}
		got := find(t, evil)
		must.Not(t, got.Key == key || got.Root != evil || strings.HasPrefix(got.Git, secret), "%s: %+v", name, got)
	}
	evil := mkdir(t, dir, "symlink")
	if err := os.Symlink(filepath.Join(secret, ".git"), filepath.Join(evil, ".git")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	if got := find(t, evil); got.Key == key || got.Root != evil {
		t.Errorf("a link: %+v", got)
	}
}

func TestAGitFileThatSaysNothingIsNoRepository(t *testing.T) {
	root := mkdir(t, scratch(t), "repo")
	mkdir(t, root, ".git")
	for name, text := range map[string]string{"empty": "", "other": "hello", "bare": "gitdir:", "binary": "\x00\x01"} {
		dir := filepath.Join(root, name)
		write(t, filepath.Join(dir, ".git"), text)
		must.Equal(t, find(t, dir).Root, root, "%s", name)
	}
}

func TestADirectoryOfPictxIsAProject(t *testing.T) {
	dir := scratch(t)
	for _, name := range []string{"pictx.toml", "decision-memory/decisions.jsonl"} {
		root := filepath.Join(dir, strings.Fields(strings.ReplaceAll(name, "/", " "))[0])
		write(t, filepath.Join(root, ".pi", name), "")
		deep := mkdir(t, root, "a", "b")
		if got := find(t, deep); got.Root != root || got.Git != "" {
			t.Errorf("%s: %+v", name, got)
		}
		// A nested repository is a project of its own; git work trees take precedence.
		mkdir(t, deep, ".git")
		must.Equal(t, find(t, deep).Root, deep, "%s: a repository inside", name)
	}
	plain := mkdir(t, dir, "plain", ".pi", "skills")
	must.Equal(t, find(t, plain).Root, plain, "another .pi")
}

// Every user of pi has ~/.pi. That does not make the home directory a project.
func TestHomeIsNoProject(t *testing.T) {
	home := scratch(t)
	work := mkdir(t, home, "work", "thing")
	write(t, filepath.Join(home, ".pi", "pictx.toml"), "")
	link := filepath.Join(scratch(t), "home")
	if err := os.Symlink(home, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	for _, agentDir := range []string{filepath.Join(home, ".pi", "agent"), filepath.Join(home, ".pi"), filepath.Join(link, ".pi", "agent")} {
		must.Equal(t, findWith(t, work, agentDir).Root, work, "with %s", agentDir)
	}
	must.Equal(t, findWith(t, work, filepath.Join(scratch(t), "agent")).Root, home, "with an agent directory elsewhere")
}

func TestStoresAreListedByKey(t *testing.T) {
	agent := scratch(t)
	if keys, err := workspace.StoreKeys(agent); err != nil || len(keys) > 0 {
		t.Errorf("%q, %v", keys, err)
	}
	for _, name := range []string{"0123456789abcdef.db", "fedcba9876543210.db", "0123456789abcdef.db-wal", "0123456789ABCDEF.db", "x.db", "0123456789abcdef.kota"} {
		write(t, filepath.Join(agent, "pictx", name), "")
	}
	mkdir(t, agent, "pictx", "1111111111111111.db")
	keys, err := workspace.StoreKeys(agent)
	diff := cmp.Diff([]string{"0123456789abcdef", "fedcba9876543210"}, keys)
	must.Not(t, diff != "" || err != nil, "%v (-want +got)\n%s", err, diff)
	must.Equal(t, workspace.StoreOf(agent, keys[0]), filepath.Join(agent, "pictx", "0123456789abcdef.db"), "path")
}

func trusted(agentDir, root string, configured []string) bool {
	told, otherwise := pi.Trust(agentDir)
	return workspace.TrustedBy(told, otherwise, root, configured)
}

func TestTrustIsPisOwn(t *testing.T) {
	agent, root := scratch(t), scratch(t)
	inner := mkdir(t, root, "a", "bc")
	mid := filepath.Dir(inner)
	quote := func(entries ...string) string {
		return "{" + strings.NewReplacer("ROOT", root, "MID", mid, "INNER", inner).Replace(strings.Join(entries, ",")) + "}"
	}
	for _, c := range []struct {
		name, saved string
		extra       []string
		want        bool
	}{
		{"nothing", "{}", nil, false},
		{"itself", quote(`"INNER":true`), nil, true},
		{"a parent", quote(`"ROOT":true`), nil, true},
		{"the nearest is no", quote(`"ROOT":true`, `"MID":false`), nil, false},
		{"the nearest is yes", quote(`"ROOT":false`, `"MID":true`), nil, true},
		{"null is no decision", quote(`"ROOT":true`, `"INNER":null`), nil, true},
		{"a word is no decision", quote(`"ROOT":true`, `"INNER":"yes"`), nil, false},
		{"another word spoils the file, as in pi", quote(`"INNER":true`, `"/x":"yes"`), nil, false},
		{"a sibling", quote(`"MID/c":true`), nil, false},
		{"the root of all", `{"/":true}`, nil, true},
		{"byte order mark", "\ufeff" + quote(`"INNER":true`), nil, true},
		{"malformed", `{"` + inner + `":true`, nil, false},
		{"a list", `["` + inner + `"]`, nil, false},
		{"extra: itself", "{}", []string{inner}, true},
		{"extra: a parent", "{}", []string{"/nowhere", root}, true},
		{"extra: a child", "{}", []string{filepath.Join(inner, "c")}, false},
		{"extra: a sibling with like name", "{}", []string{inner + "x", inner[:len(inner)-1]}, false},
		{"extra: empty", "{}", []string{""}, false},
		{"extra beats pi's no", quote(`"INNER":false`), []string{root}, true},
	} {
		write(t, filepath.Join(agent, "trust.json"), c.saved)
		must.Equal(t, trusted(agent, inner, c.extra), c.want, "%s", c.name)
	}
	must.Not(t, trusted(scratch(t), inner, nil), "trusted without a file")
	link := filepath.Join(scratch(t), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	write(t, filepath.Join(agent, "trust.json"), quote(`"ROOT":true`))
	must.Not(t, !trusted(agent, filepath.Join(link, "a", "bc"), nil) || !trusted(scratch(t), inner, []string{link}), "links are not followed")
}

// pi writes null for a directory whose answer was taken back.
func TestAnAnswerThatWasTakenBackIsNone(t *testing.T) {
	dir, no := t.TempDir(), false
	real := must.Get(filepath.EvalSymlinks(dir))(t)
	must.Not(t, workspace.TrustedBy(map[string]*bool{real: nil}, false, dir, nil), "a project is trusted without an answer")
	must.Not(t, !workspace.TrustedBy(map[string]*bool{real: nil}, true, dir, nil), "what pi does without an answer does not count")
	must.Not(t, workspace.TrustedBy(map[string]*bool{real: nil, filepath.Dir(real): &no}, true, dir, nil), "the answer for the directory above does not count")
}
