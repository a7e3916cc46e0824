package pi

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
)

// installer, set in the environment, makes this test binary install versions
// into that directory until it is killed.
const installer = "PICTX_TEST_INSTALLER"

func TestMain(m *testing.M) {
	if root := os.Getenv(installer); root != "" {
		installForEver(root)
	}
	os.Exit(m.Run())
}

func installForEver(root string) {
	for i := 0; ; i++ {
		if _, err := version(i%2).Install(Target{Root: root}, testBinary(), false, time.Now()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("installed")
	}
}

// version is the extension as version n of this program ships it. Version 1 has a
// file that version 0 has not, and the other way round.
func version(n int) Extension {
	x, _ := newExtension(fstest.MapFS{
		"x/index.ts":                     {Data: fmt.Appendf(nil, "// index of version %d\n", n)},
		"x/client.ts":                    {Data: fmt.Appendf(nil, "// client of version %d\n%s", n, strings.Repeat("//\n", 20_000))},
		fmt.Sprintf("x/only%d.ts", n):    {Data: []byte("// only here\n")},
		"x/extension.test.mjs":           {Data: []byte("// a test\n")},
		"x/binary.test.ts":               {Data: []byte("// a test\n")},
		"x/testdata/stub.ts":             {Data: []byte("// a test\n")},
		fmt.Sprintf("x/types%d.d.ts", n): {Data: []byte("// types\n")},
	}, "x")
	return x
}

func testBinary() Binary { return Binary{Path: "/usr/local/bin/pictx", Version: "1.2.3"} }

func install(t *testing.T, v int, target Target, force bool) Change {
	t.Helper()
	c := must.Get(version(v).Install(target, testBinary(), force, time.Now()))(t)
	return c
}

func write(t *testing.T, text string, parts ...string) string {
	t.Helper()
	p := filepath.Join(parts...)
	must.Do(t, os.MkdirAll(filepath.Dir(p), 0o700))
	must.Do(t, os.WriteFile(p, []byte(text), 0o600))
	return p
}

// tree is what a directory holds: paths with their texts.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// wantTree is the folder of a version.
func wantTree(v int) map[string]string {
	all := map[string]string{binaryFile: string(version(v).record(testBinary()))}
	for _, f := range version(v).files {
		all[f.Name] = string(f.Text)
	}
	return all
}

func state(t *testing.T, v int, target Target) State {
	t.Helper()
	s := must.Get(version(v).Status(target))(t)
	return s.State()
}

func TestInstallingWritesTheExtensionAndTheBinarysPath(t *testing.T) {
	target := Target{Root: filepath.Join(t.TempDir(), "new", "agent")}
	must.Equal(t, state(t, 0, target), Missing, "before")
	if c := install(t, 0, target, false); c.From != Missing || !c.Binary || !c.Done() {
		t.Errorf("the change is %+v", c)
	}
	must.Match(t, tree(t, target.Dir()), wantTree(0), "installed")
	if names := len(wantTree(0)); names != 4 { // no tests, no types
		t.Errorf("%d files, want 4", names)
	}
	s, err := version(0).Status(target)
	if err != nil || s.State() != Current || s.Binary != testBinary() {
		t.Errorf("status %+v, %v", s, err)
	}
}

func TestInstallingAgainDoesNothing(t *testing.T) {
	target := Target{Root: t.TempDir()}
	install(t, 0, target, false)
	before := must.Get(os.Stat(target.Dir()))(t)
	if c := install(t, 0, target, true); c.Done() {
		t.Errorf("the change is %+v", c)
	}
	if after, err := os.Stat(target.Dir()); err != nil || !os.SameFile(before, after) {
		t.Error("the folder was written anew")
	}
	moved := testBinary()
	moved.Path = "/opt/bin/pictx"
	c, err := version(0).Install(target, moved, false, time.Now())
	if err != nil || c.From != Current || !c.Binary {
		t.Errorf("with another binary: %+v, %v", c, err)
	}
	if s, _ := version(0).Status(target); s.Binary != moved || s.State() != Current {
		t.Errorf("then it is %+v", s)
	}
}

func TestATextThatWasShippedIsReplaced(t *testing.T) {
	target := Target{Root: t.TempDir()}
	install(t, 0, target, false)
	must.Equal(t, state(t, 1, target), Outdated, "the version before")
	if c := install(t, 1, target, false); c.From != Outdated || c.Backup != "" {
		t.Errorf("the change is %+v", c)
	}
	must.Match(t, tree(t, target.Dir()), wantTree(1), "got")
	must.Do(t, os.Remove(filepath.Join(target.Dir(), "client.ts")))
	must.Equal(t, state(t, 1, target), Incomplete, "without a file")
	install(t, 1, target, false)
	must.Equal(t, state(t, 1, target), Current, "mended")
	if all := tree(t, target.Root); len(all) != len(wantTree(1)) {
		t.Errorf("something was left beside: %d files", len(all))
	}
}

func TestATextThatWasNeverShippedStaysUntilForced(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"changed": func(t *testing.T, dir string) { write(t, "// mine\n", dir, "index.ts") },
		"added":   func(t *testing.T, dir string) { write(t, "// mine\n", dir, "notes.md") },
		"folder":  func(t *testing.T, dir string) { write(t, "// mine\n", dir, "node_modules", "a", "b.js") },
		"link": func(t *testing.T, dir string) {
			if err := os.Symlink("index.ts", filepath.Join(dir, "other.ts")); err != nil {
				t.Skip("links cannot be made here:", err)
			}
		},
		// The text of one file under the name of another was never installed.
		"renamed": func(t *testing.T, dir string) { write(t, string(version(0).files[0].Text), dir, "index.ts") },
	} {
		t.Run(name, func(t *testing.T) {
			target := Target{Root: t.TempDir()}
			install(t, 0, target, false)
			change(t, target.Dir())
			before := tree(t, target.Root)
			must.Equal(t, state(t, 1, target), Modified, "got")
			if _, err := version(1).Install(target, testBinary(), false, time.Now()); !errors.Is(err, ErrModified) {
				t.Fatalf("not forced: %v", err)
			}
			if diff := cmp.Diff(before, tree(t, target.Root)); diff != "" {
				t.Fatalf("refused, and changed (-before +after):\n%s", diff)
			}
			c := install(t, 1, target, true)
			must.Match(t, tree(t, target.Dir()), wantTree(1), "forced")
			kept := map[string]string{}
			for p, text := range tree(t, c.Backup) {
				kept["extensions/pictx/"+p] = text
			}
			must.Match(t, kept, before, "kept beside")
			if !strings.HasPrefix(filepath.Base(c.Backup), ".") {
				t.Errorf("pi loads %s", c.Backup)
			}
		})
	}
}

func TestAFolderThatLeadsElsewhereIsNotWrittenThrough(t *testing.T) {
	for name, link := range map[string]func(root string) string{
		"the extension's": func(root string) string { return filepath.Join(root, "extensions", "pictx") },
		"all extensions'": func(root string) string { return filepath.Join(root, "extensions") },
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere, root := t.TempDir(), t.TempDir()
			write(t, "mine\n", elsewhere, "notes")
			from := link(root)
			must.Do(t, os.MkdirAll(filepath.Dir(from), 0o700))
			if err := os.Symlink(elsewhere, from); err != nil {
				t.Skip("links cannot be made here:", err)
			}
			before := tree(t, elsewhere)
			_, err := version(0).Install(Target{Root: root}, testBinary(), true, time.Now())
			var link *LinkError
			if !errors.As(err, &link) || !strings.Contains(link.Hint(), from) {
				t.Errorf("installing: %v", err)
			}
			must.Match(t, tree(t, elsewhere), before, "it was written through (-before +after)")
			// The same when something is to be removed there.
			for _, f := range version(0).files {
				write(t, string(f.Text), Target{Root: root}.Dir(), f.Name)
			}
			before = tree(t, elsewhere)
			if _, err := version(0).Remove(Target{Root: root}, true); !errors.As(err, &link) {
				t.Errorf("removing: %v", err)
			}
			must.Match(t, tree(t, elsewhere), before, "it was removed through (-before +after)")
		})
	}
}

func TestAnAgentDirectoryMayBeALink(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "agent")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	install(t, 0, Target{Root: link}, false)
	must.Equal(t, state(t, 0, Target{Root: real}), Current, "got")
	if _, err := version(0).Remove(Target{Root: link}, false); err != nil {
		t.Error(err)
	}
}

func TestAFailedInstallationIsAnErrorAndChangesNothing(t *testing.T) {
	root := t.TempDir()
	file := write(t, "mine\n", root, "agent")
	if _, err := version(0).Install(Target{Root: file}, testBinary(), false, time.Now()); err == nil {
		t.Error("installed below a file")
	}
	write(t, "mine\n", root, "dir", "extensions")
	if _, err := version(0).Install(Target{Root: filepath.Join(root, "dir")}, testBinary(), false, time.Now()); err == nil {
		t.Error("installed into a file")
	}
	want := map[string]string{"agent": "mine\n", "dir/extensions": "mine\n"}
	must.Match(t, tree(t, root), want, "got")
}

func TestFoldersAreRenamedWhereTheyCannotBeExchanged(t *testing.T) {
	parent := t.TempDir()
	for round := range 2 { // nothing there at first, then something
		fresh := filepath.Join(parent, "fresh")
		write(t, fmt.Sprint(round), fresh, "a")
		must.Do(t, swap(fresh, filepath.Join(parent, "pictx")))
	}
	want := map[string]string{"pictx/a": "1", "fresh/a": "0"}
	must.Match(t, tree(t, parent), want, "got")
	must.Do(t, renames(filepath.Join(parent, "fresh"), filepath.Join(parent, "pictx")))
	want = map[string]string{"pictx/a": "0", "fresh/a": "1"}
	must.Match(t, tree(t, parent), want, "by renaming")
	// What cannot be put there leaves what was.
	if err := renames(filepath.Join(parent, "nothing"), filepath.Join(parent, "pictx")); err == nil {
		t.Error("nothing was put there")
	}
	must.Match(t, tree(t, parent), want, "after a failure")
}

func TestKillingAnInstallationLeavesTheOldFilesOrTheNew(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("folders cannot be exchanged here")
	}
	root := t.TempDir()
	target := Target{Root: root}
	for range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), installer+"="+root)
		out := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "installed\n" {
			t.Errorf("the installer said %q", line)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
		got := tree(t, target.Dir())
		if cmp.Diff(wantTree(0), got) != "" && cmp.Diff(wantTree(1), got) != "" {
			t.Fatalf("neither version: %d files", len(got))
		}
		visible, err := filepath.Glob(filepath.Join(root, "extensions", "[^.]*"))
		if err != nil || len(visible) != 1 {
			t.Fatalf("pi sees %q, %v", visible, err)
		}
	}
	// What the killed left goes when it is old, what holds changes never.
	backup := filepath.Join(root, "extensions", backupPrefix+"20200101-000000")
	write(t, "mine\n", backup, "index.ts")
	install(t, 1, target, false)
	if _, err := version(1).Install(target, testBinary(), false, time.Now().Add(2*time.Minute)); err != nil { // there is nothing to do
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(root, "extensions"))
	if err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v; want the extension and the backup", left, err)
	}
}

func TestRemovingTakesOnlyWhatWasShipped(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		force  bool
		left   map[string]string
		kept   string
		err    error
	}{
		"as installed": {func(*testing.T, string) {}, false, map[string]string{}, "", nil},
		"another file changed": {
			func(t *testing.T, dir string) { write(t, "mine\n", dir, "client.ts") }, false,
			map[string]string{"client.ts": "mine\n"},
			"client.ts", nil,
		},
		"another file changed, forced": {
			func(t *testing.T, dir string) { write(t, "mine\n", dir, "client.ts") }, true, map[string]string{}, "", nil,
		},
		"index changed": {
			func(t *testing.T, dir string) { write(t, "mine\n", dir, "index.ts") }, false,
			map[string]string{"index.ts": "mine\n"},
			"", ErrModified, // with the others, below
		},
		"a file added, forced": {
			func(t *testing.T, dir string) { write(t, "mine\n", dir, "notes.md") }, true,
			map[string]string{"notes.md": "mine\n"},
			"notes.md", nil,
		},
		"no record, forced": {
			func(t *testing.T, dir string) { write(t, "{", dir, binaryFile) }, true,
			map[string]string{"only0.ts": "// only here\n"},
			"only0.ts", nil,
		},
	} {
		target := Target{Root: t.TempDir()}
		install(t, 0, target, false)
		c.change(t, target.Dir())
		before := tree(t, target.Dir())
		r, err := version(1).Remove(target, c.force) // an upgraded program removes, too
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		want := c.left
		if c.err != nil {
			want = before
		}
		must.Match(t, tree(t, target.Dir()), want, "%s: left", name)
		if strings.Join(r.Kept, " ") != c.kept {
			t.Errorf("%s: kept %q, want %q", name, r.Kept, c.kept)
		}
		if _, err := os.Stat(target.Dir()); (err == nil) != (len(want) > 0) {
			t.Errorf("%s: the folder: %v", name, err)
		}
	}
	if r, err := version(0).Remove(Target{Root: t.TempDir()}, false); err != nil || len(r.Removed) > 0 {
		t.Errorf("where there is none: %+v, %v", r, err)
	}
}

func TestABinaryRunsWhenItIsThereAndCanBeRun(t *testing.T) {
	dir := t.TempDir()
	plain := write(t, "#!/bin/sh\n", dir, "plain")
	program := write(t, "#!/bin/sh\n", dir, "pictx")
	must.Do(t, os.Chmod(program, 0o755))
	for path, want := range map[string]bool{
		program: true, plain: false, dir: false, filepath.Join(dir, "none"): false, "": false, "pictx": false,
	} {
		must.Equal(t, (Binary{Path: path}).Runs(), want, "%q runs", path)
	}
}
