package index_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/tree"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/golang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// world is a tree on disk and its index.
type world struct {
	t    *testing.T
	root string
	file string
	git  bool
}

// newWorld writes a tree in txtar format.
func newWorld(t *testing.T, archive string) *world {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	w := &world{t: t, root: root, file: filepath.Join(t.TempDir(), "pictx", "0123456789abcdef.kota")}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		w.write(f.Name, string(f.Data))
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	must.Do(w.t, errors.Join(os.MkdirAll(filepath.Dir(w.path(name)), 0o700), os.WriteFile(w.path(name), []byte(text), 0o600)))
}

func (w *world) options() index.Options {
	return index.Options{Root: w.root, File: w.file, Git: w.git, Languages: lang.NewSet(ts.Language(), golang.Language()), Create: true, Now: time.Now}
}

func (w *world) open() *index.Engine {
	w.t.Helper()
	e := must.Get(index.Open(w.t.Context(), w.options()))(w.t)
	return e
}

// fresh returns the bytes of a new index.
func (w *world) fresh() []byte {
	w.t.Helper()
	o := w.options()
	o.File = filepath.Join(w.t.TempDir(), "fresh.kota")
	must.Get(index.Open(w.t.Context(), o))(w.t)
	return w.read(o.File)
}

func (w *world) read(name string) []byte {
	w.t.Helper()
	b := must.Get(os.ReadFile(name))(w.t)
	return b
}

// run runs git in the tree, without the user's configuration.
func (w *world) run(args ...string) {
	w.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		w.t.Skip("not run: no git installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = w.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repository makes the tree a git repository.
func (w *world) repository() *world {
	w.git = true
	w.run("init", "-q", ".")
	w.run("add", "-A")
	w.run("commit", "-qm", "first")
	return w
}

// dependents lists who imports a file, barrels included.
func (w *world) dependents(e *index.Engine, file string) []string {
	w.t.Helper()
	d := must.Get(e.Deps(w.t.Context(), kota.DepsQuery{File: file, Dependents: true, Depth: 1, Tests: true}))(w.t)
	out := []string{}
	for _, x := range d.Dependents.List {
		s := x.File
		if x.Via != "" {
			s += " via " + x.Via
		}
		out = append(out, s)
	}
	return out
}

// Holds kota 14, 15, 17.
func TestAnUpdatedIndexEqualsAFreshOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	must.Do(t, tree.Write(w.root, 90, 3))
	w.repository()
	w.run("branch", "other")
	rng := rand.New(rand.NewSource(4))
	files := func() []string {
		out := must.Get(exec.Command("git", "-C", w.root, "ls-files", "*.ts", "*.tsx").Output())(t)
		return strings.Fields(string(out))
	}
	steps := 30
	if testing.Short() {
		steps = 15
	}
	w.open()
	for step := range steps {
		list := files()
		pick := list[rng.Intn(len(list))]
		what := ""
		switch rng.Intn(10) {
		case 0, 1, 2:
			what = "edit " + pick
			b, _ := os.ReadFile(w.path(pick))
			w.write(pick, fmt.Sprintf("import { make%03d } from './m%03d'\nimport './style%d.css'\n%sexport const extra%d = make000\n", step, rng.Intn(40), step%3, b, step))
		case 3:
			what = "add"
			w.write(fmt.Sprintf("packages/p000/src/f0/new%d.ts", step), "export * from './m000'\nimport '../gone'\n")
		case 4:
			what = "delete " + pick
			_ = os.Remove(w.path(pick))
		case 5:
			what = "rename " + pick
			_ = os.Rename(w.path(pick), w.path(filepath.Join(filepath.Dir(pick), fmt.Sprintf("moved%d.ts", step))))
		case 6:
			what = "switch"
			w.run("add", "-A")
			w.run("commit", "-qm", "x", "--allow-empty")
			w.run("checkout", "-q", []string{"main", "other"}[rng.Intn(2)])
		case 7:
			what = "tsconfig"
			w.write("packages/p000/tsconfig.json", fmt.Sprintf(`{ "extends": "../../tsconfig.base.json", "compilerOptions": { "paths": { "@/*": ["./src/%s*"] } } }`, []string{"", "f1/"}[rng.Intn(2)]))
		case 8:
			what = "package.json and an asset"
			w.write("packages/p000/package.json", fmt.Sprintf(`{ "name": "@acme/p%03d", "main": "src/index.ts" }`, rng.Intn(2)))
			w.write(fmt.Sprintf("packages/p000/src/f0/style%d.css", step%3), "")
		case 9:
			what = "touch " + pick
			_ = os.Chtimes(w.path(pick), time.Now(), time.Now().Add(-time.Duration(step)*time.Hour))
		}
		e := w.open()
		if !bytes.Equal(w.read(w.file), w.fresh()) {
			t.Fatalf("step %d, %s: the indexes differ (%+v)", step, what, e.Change)
		}
	}
}

// Holds kota 13, 14, 16.
func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './b'\n-- b.ts --\nexport const b = 1\n-- c.ts --\nimport './b'\n")
	old := time.Now().Add(-time.Hour)
	for _, f := range []string{"a.ts", "b.ts", "c.ts"} {
		_ = os.Chtimes(w.path(f), old, old)
	}
	time.Sleep(50 * time.Millisecond) // the files' change times must be in the past
	w.open()
	if e := w.open(); e.Change != (index.Change{}) || e.Reads() != 0 {
		t.Errorf("nothing changed: %+v, %d files read", e.Change, e.Reads())
	}
	_ = os.Chtimes(w.path("b.ts"), old, old.Add(time.Minute))
	if e := w.open(); e.Change != (index.Change{Written: true}) || e.Reads() != 1 {
		t.Errorf("a file was touched: %+v, %d files read", e.Change, e.Reads())
	}
	time.Sleep(50 * time.Millisecond)
	w.open()
	w.write("b.ts", "export const b = 2, more = 3\n")
	if e := w.open(); e.Change != (index.Change{Updated: 1, Written: true}) || e.Reads() != 1 {
		t.Errorf("a file was edited: %+v, %d files read", e.Change, e.Reads())
	}
	must.Do(t, os.Rename(w.path("c.ts"), w.path("d.ts")))
	must.Match(t, w.dependents(w.open(), "b.ts"), []string{"a.ts", "d.ts"}, "after a rename")
}

func TestAnEditWithinATickOfTheClockIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './b'\n-- b.ts --\n-- c.ts --\n")
	for i := range 30 {
		to := "bc"[i%2 : i%2+1]
		w.write("a.ts", "import './"+to+"'\n") // same length as before
		got := w.dependents(w.open(), to+".ts")
		must.Stop(t, len(got) != 1, "round %d: dependents of %s are %q", i, to, got)
	}
}

// Holds kota 17.
func TestAFileThatAppearsResolvesImportsOfFilesThatDidNotChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './b'\nimport '@x/c'\nimport './s.css'\n")
	w.open()
	w.write("b.ts", "")
	if got := w.dependents(w.open(), "b.ts"); len(got) != 1 {
		t.Errorf("a new file: %q", got)
	}
	w.write("tsconfig.json", `{ "compilerOptions": { "paths": { "@x/*": ["./b/../*"] } } }`)
	w.write("c.ts", "")
	if got := w.dependents(w.open(), "c.ts"); len(got) != 1 {
		t.Errorf("a new alias: %q", got)
	}
	w.write("s.css", "")
	if got := w.dependents(w.open(), "s.css"); len(got) != 1 {
		t.Errorf("a new asset: %q", got)
	}
	must.Do(t, os.Remove(w.path("s.css")))
	_, err := w.open().Find("s.css")
	must.Not(t, !errors.As(err, new(*kota.UnknownFileError)), "an asset that is gone: %v", err)
}

// Holds kota 1, 5, 6, 8.
func TestAWorkTreesFilesAreThoseGitLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- .gitignore --\nsecret.ts\n/out/\n-- src/a.ts --\nimport '../build/x'\nimport '../secret'\n-- build/x.ts --\n-- dist/d.ts --\n-- env/e.ts --\n-- src/out/o.ts --\n-- vendor/v.js --\n-- secret.ts --\n-- out/o.ts --\n-- untracked.ts --\n-- node_modules/m/index.ts --\n")
	w.write(".gitignore", "secret.ts\n/out/\nnode_modules\n")
	w.write("src/binary.ts", "a\x00b")
	for _, l := range [][2]string{{"../src", "src/loop"}, {"a.ts", "src/link.ts"}} {
		if err := os.Symlink(l[0], w.path(l[1])); err != nil {
			t.Skip("links cannot be made here:", err)
		}
	}
	w.repository()
	w.run("rm", "-q", "--cached", "untracked.ts")
	e := w.open()
	want := []string{"build/x.ts", "dist/d.ts", "env/e.ts", "src/a.ts", "src/binary.ts", "src/out/o.ts", "untracked.ts", "vendor/v.js"}
	diff := cmp.Diff(want, e.Files())
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
	s, err := e.Status(t.Context())
	if err != nil || len(s.Skipped) != 1 || s.Skipped[0] != (kota.Count{Name: "binary", N: 1}) {
		t.Errorf("skipped %v, %v", s.Skipped, err)
	}
}

// Holds kota 9, 22, 58.
func TestPartlyReadFilesAreCountedAndSecretsAreNotCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './gone'\nimport('./' + b)\n-- broken.ts --\nexport const a = (\n-- .env --\nTOKEN=needle\n-- id_rsa --\nneedle\n-- key.pem --\nneedle\n")
	w.write("min.js", "require('./a');"+strings.Repeat("function f(){return 'needle'};", 1000))
	e := w.open()
	s, err := e.Status(t.Context())
	must.Not(t, err != nil || s.Files != 3 || s.ImportsOnly != 1 || s.Partial != 1 || s.Unresolved != 1 || s.Computed != 1 || s.Edges != 1, "%+v, %v", s, err)
	h, err := e.Search(t.Context(), kota.SearchQuery{Text: "needle", Tests: true})
	must.Not(t, err != nil || h.Files != 1 || h.List[0].File != "min.js", "%+v, %v", h, err)
	if d, err := e.Deps(t.Context(), kota.DepsQuery{File: "broken", Dependents: true}); err != nil || !d.Partial {
		t.Errorf("a broken file is not marked: %+v, %v", d, err)
	}
}

// Holds kota 2.
func TestADirectoryWithoutGitIsWalked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- .gitignore --\n*.gen.ts\n!keep.gen.ts\n/top\nsub/deep/\n-- a.ts --\n-- a.gen.ts --\n-- keep.gen.ts --\n-- top/x.ts --\n-- inner/top/x.ts --\n-- sub/deep/x.ts --\n-- sub/ok/x.ts --\n-- sub/ok/.gitignore --\ny.ts\n-- sub/ok/y.ts --\n-- y.ts --\n-- node_modules/m/x.ts --\n")
	diff := cmp.Diff([]string{"a.ts", "inner/top/x.ts", "keep.gen.ts", "sub/ok/x.ts", "y.ts"}, w.open().Files())
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
}

// Holds kota 7.
func TestNothingIsWrittenIntoTheTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './b'\n-- b.ts --\n").repository()
	snapshot := func() string {
		var b strings.Builder
		_ = filepath.Walk(w.root, func(p string, st os.FileInfo, err error) error {
			if err == nil && !st.IsDir() {
				fmt.Fprintln(&b, p, st.Size(), st.ModTime().UnixNano(), st.Mode())
			}
			return err
		})
		return b.String()
	}
	before := snapshot()
	e := w.open()
	_, _ = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "b"})
	must.Match(t, snapshot(), before, "(-before +after)")
}

// Holds kota 19, 20.
func TestADamagedIndexIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './b'\n-- b.ts --\nexport const b = 1\n")
	w.open()
	whole := w.read(w.file)
	for name, b := range map[string][]byte{
		"empty": nil, "cut": whole[:len(whole)/2], "flipped": append(bytes.Clone(whole[:len(whole)-3]), 'x', 'y', 'z'),
		"version": append([]byte("pictx kota 00\n"), whole[14:]...), "text": []byte("no index"),
	} {
		must.Do(t, os.WriteFile(w.file, b, 0o600))
		e := w.open()
		if len(e.Notes) != 1 || len(w.dependents(e, "b.ts")) != 1 || !bytes.Equal(w.read(w.file), whole) {
			t.Errorf("%s: notes %q, same bytes: %v", name, e.Notes, bytes.Equal(w.read(w.file), whole))
		}
	}
}

// Holds kota 18.
func TestManyIndexersAtOnceAllAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	must.Do(t, tree.Write(w.root, 60, 1))
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for k := range 5 {
				if i == 0 {
					_ = os.WriteFile(w.path("packages/p000/src/f0/x.ts"), fmt.Appendf(nil, "import './m%03d'\n", k), 0o600)
				}
				e, err := index.Open(context.Background(), w.options())
				if err != nil || len(e.Notes) > 0 || len(e.Files()) < 60 {
					t.Errorf("indexer %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	w.open()
	must.Not(t, !bytes.Equal(w.read(w.file), w.fresh()), "the index is not the one made from nothing")
	left, _ := filepath.Glob(w.file + ".tmp-*")
	must.Not(t, len(left) > 0, "left behind: %q", left)
}

// Holds kota 60.
func TestAnInterruptedIndexerLeavesTheOldIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './b'\n-- b.ts --\n")
	w.open()
	before := w.read(w.file)
	w.write("c.ts", "import './b'\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := index.Open(ctx, w.options())
	must.Not(t, !errors.Is(err, context.Canceled), "got %v, want that it was cancelled", err)
	must.Not(t, !bytes.Equal(before, w.read(w.file)), "the index changed")
}

// Holds kota 21.
func TestAnIndexOfAnotherDirectoryIsNotUsed(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t, "-- a.ts --\n"), newWorld(t, "-- b.ts --\n")
	a.open()
	b.file = a.file
	diff := cmp.Diff([]string{"b.ts"}, b.open().Files())
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
}

// Holds kota 3.
func TestADirectoryThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\n")
	w.root += "/gone"
	if _, err := index.Open(t.Context(), w.options()); err == nil || !strings.Contains(err.Error(), w.root) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	file := w.options()
	file.Root = filepath.Join(filepath.Dir(w.root), "a.ts")
	if _, err := index.Open(t.Context(), file); err == nil || !strings.Contains(err.Error(), file.Root) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a file instead of a directory: %v", err)
	}
	must.Not(t, index.Exists(w.file), "an index was made")
	o := w.options()
	o.Root, o.Create = filepath.Dir(w.root), false
	if _, err := index.Open(t.Context(), o); !errors.Is(err, kota.ErrNotIndexed) {
		t.Errorf("got %v, want that there is no index", err)
	}
}

func FuzzLoad(f *testing.F) {
	w := &world{root: f.TempDir(), file: filepath.Join(f.TempDir(), "x.kota")}
	_ = os.WriteFile(w.path("a.ts"), []byte("import './b'\nexport class A { m() {} }\n"), 0o600)
	_ = os.WriteFile(w.path("b.ts"), []byte("export * from './a'\n"), 0o600)
	must.Get(index.Open(context.Background(), w.options()))(f)
	whole, _ := os.ReadFile(w.file)
	f.Add(whole)
	f.Fuzz(func(_ *testing.T, b []byte) { index.Decode(b) })
}
