package ts_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/npm"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// The version of TypeScript to compare with.
const typescriptVersion = "5.9.3"

// installed installs a package of npm into a cache, once, and returns its directory. Without npm
// or network it skips the test.
func installed(t *testing.T, name, version string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("not run: no %s installed", tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("not run: no cache directory")
	}
	pkg, err := npm.Install(t.Context(), filepath.Join(cache, "pictx-kota"), name, version)
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	return pkg
}

// edge is an import, as TypeScript or this package resolves it.
type edge struct {
	From string `json:"from"`
	Line int    `json:"line"`
	Spec string `json:"spec"`
	Kind string `json:"kind"`
	To   string `json:"to"`

	inferred bool
}

// treeFiles lists the files of a directory.
func treeFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "node_modules" && p != root {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			rel, _ := filepath.Rel(root, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// asked returns the files whose imports TypeScript can read.
func asked(files []string) []string {
	var out []string
	for _, f := range files {
		if lex.OfFile(f)&lex.Module != 0 {
			out = append(out, f)
		}
	}
	return out
}

// truth returns the imports as TypeScript resolves them.
func truth(t *testing.T, root string, files []string) []edge {
	t.Helper()
	var edges []edge
	for sc := bufio.NewScanner(bytes.NewReader(answered(t, root, files))); sc.Scan(); {
		var e edge
		must.Do(t, json.Unmarshal(sc.Bytes(), &e))
		edges = append(edges, e)
	}
	return edges
}

// answered is what TypeScript prints. Of a package that is installed it is kept beside it: neither
// changes, and TypeScript takes ten times as long as all else here.
func answered(t *testing.T, root string, files []string) []byte {
	t.Helper()
	ts := installed(t, "typescript", typescriptVersion)
	cache, _ := os.UserCacheDir() // installed has found it
	if !strings.HasPrefix(root, filepath.Join(cache, "pictx-kota")+string(filepath.Separator)) {
		return asksTypeScript(t, ts, root, files)
	}
	sum := sha256.New()
	for _, script := range []string{"testdata/oracle.cjs", "testdata/tree.cjs"} {
		sum.Write(must.Get(os.ReadFile(script))(t))
	}
	fmt.Fprintln(sum, ts, root, files)
	kept := filepath.Join(cache, "pictx-kota", fmt.Sprintf("edges-%x.jsonl", sum.Sum(nil)[:8]))
	if out, err := os.ReadFile(kept); err == nil {
		return out
	}
	out := asksTypeScript(t, ts, root, files)
	partial := fmt.Sprint(kept, os.Getpid())
	must.Do(t, errors.Join(os.WriteFile(partial, out, 0o600), os.Rename(partial, kept)))
	return out
}

func asksTypeScript(t *testing.T, ts, root string, files []string) []byte {
	t.Helper()
	var in bytes.Buffer
	for _, f := range files {
		if lex.OfFile(f)&lex.Module != 0 {
			in.WriteByte('+')
		}
		fmt.Fprintln(&in, f)
	}
	cmd := exec.Command("node", "--max-old-space-size=4096", "testdata/oracle.cjs", ts, root)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = &in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ask TypeScript: %v\n%s", err, &errs)
	}
	return out
}

// ours returns the imports as this package resolves them.
func ours(t *testing.T, root string, files []string) []edge {
	t.Helper()
	r := ts.NewResolver(context.Background(), files, func(f string) ([]byte, bool) {
		b, err := os.ReadFile(filepath.Join(root, f))
		return b, err == nil
	})
	list := asked(files)
	facts := make([]lang.Facts, len(list))
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			var s scan.Scanner
			for i := w; i < len(list); i += 2 {
				data, err := os.ReadFile(filepath.Join(root, list[i]))
				if err == nil {
					facts[i] = s.File(list[i], data)
				}
			}
		})
	}
	wg.Wait()
	var edges []edge
	for i, f := range list {
		for _, im := range facts[i].Imports {
			if im.Kind == lang.Reference || im.Kind == lang.Named || im.Kind == lang.Matching || im.Spec == "" {
				continue
			}
			res := r.Find(ts.Request{From: f, Spec: im.Spec, Require: im.Kind == lang.Require || im.Kind == lang.Equals, Dynamic: im.Kind == lang.Dynamic})
			edges = append(edges, edge{From: f, Line: im.Line, Spec: im.Spec, Kind: im.Kind.String(), To: res.Path, inferred: res.Inferred})
		}
	}
	return edges
}

// verdict is the comparison of our edges with TypeScript's.
type verdict struct {
	truth, found, wrong, sure, inferred int
	missing, extra, sites               []string
}

func (v verdict) recall() float64    { return ratio(v.found, v.truth) }
func (v verdict) precision() float64 { return ratio(v.sure-v.wrong, v.sure) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// compare counts the distinct edges between files that TypeScript reads.
func compare(want, got []edge) verdict {
	var v verdict
	pair := func(e edge) string { return e.From + " -> " + e.To }
	wanted, mine := map[string]edge{}, map[string]edge{}
	for _, e := range want {
		if e.To != "" && lex.OfFile(e.To) != 0 {
			wanted[pair(e)] = e
		}
	}
	for _, e := range got {
		if e.To == "" || lex.OfFile(e.To)&lex.Module == 0 {
			continue
		}
		if old, ok := mine[pair(e)]; !ok || old.inferred {
			mine[pair(e)] = e
		}
	}
	v.truth = len(wanted)
	for k, e := range wanted {
		if _, ok := mine[k]; ok {
			v.found++
		} else {
			v.missing = append(v.missing, fmt.Sprintf("%s:%d %s -> %s", e.From, e.Line, e.Spec, e.To))
		}
	}
	for k, e := range mine {
		if e.inferred {
			v.inferred++
			continue
		}
		v.sure++
		if _, ok := wanted[k]; !ok {
			v.wrong++
			v.extra = append(v.extra, fmt.Sprintf("%s:%d %s -> %s", e.From, e.Line, e.Spec, e.To))
		}
	}
	v.sites = siteDiff(want, got)
	slices.Sort(v.missing)
	slices.Sort(v.extra)
	return v
}

// siteDiff lists the places where only one side finds an import.
func siteDiff(want, got []edge) []string {
	count := map[string]int{}
	for _, e := range want {
		count[fmt.Sprintf("%s:%d %s", e.From, e.Line, e.Spec)]++
	}
	for _, e := range got {
		count[fmt.Sprintf("%s:%d %s", e.From, e.Line, e.Spec)]--
	}
	var out []string
	for k, n := range count {
		if n > 0 {
			out = append(out, "only TypeScript: "+k)
		} else if n < 0 {
			out = append(out, "only ours: "+k)
		}
	}
	slices.Sort(out)
	return out
}

// check fails the test when a tree has too few edges or the comparison is not good enough.
func check(t *testing.T, root string, minEdges int) {
	t.Helper()
	files := treeFiles(t, root)
	v := compare(truth(t, root, files), ours(t, root, files))
	t.Logf("%d files, %d edges: recall %.3f %%, precision %.3f %% of %d, %d inferred, %d sites differ",
		len(files), v.truth, 100*v.recall(), 100*v.precision(), v.sure, v.inferred, len(v.sites))
	if v.truth < minEdges {
		t.Errorf("only %d edges: the comparison means nothing", v.truth)
	}
	if v.recall() < 0.999 {
		t.Errorf("recall %.3f %%, missing:\n%s", 100*v.recall(), head(v.missing))
	}
	if v.precision() < 0.99 {
		t.Errorf("precision %.3f %%, wrong:\n%s", 100*v.precision(), head(v.extra))
	}
	if len(v.sites)*1000 > len(asked(files))+v.truth {
		t.Errorf("%d imports are seen by one side alone:\n%s", len(v.sites), head(v.sites))
	}
	if os.Getenv("PICTX_KOTA_VERBOSE") != "" {
		t.Logf("missing:\n%s\nextra:\n%s\nsites:\n%s", head(v.missing), head(v.extra), head(v.sites))
	}
}

func head(lines []string) string { return strings.Join(lines[:min(len(lines), 40)], "\n") }

// unpack writes the files of a txtar archive.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	a := must.Get(txtar.ParseFile(archive))(t)
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, f := range a.Files {
		p := filepath.Join(root, filepath.FromSlash(f.Name))
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, f.Data, 0o600)))
	}
	return root
}

// Holds kota 23, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34.
func TestEdgesAreThoseOfTypeScriptInMadeUpTrees(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(archives) < 3 {
		t.Fatal(archives, err)
	}
	for _, a := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(a), ".txtar"), func(t *testing.T) {
			t.Parallel()
			root := unpack(t, a)
			files := treeFiles(t, root)
			v := compare(truth(t, root, files), ours(t, root, files))
			if v.truth < 8 {
				t.Errorf("only %d edges", v.truth)
			}
			if len(v.missing)+len(v.extra)+len(v.sites) > 0 {
				t.Errorf("missing:\n%s\nwrong:\n%s\nsites:\n%s", head(v.missing), head(v.extra), head(v.sites))
			}
		})
	}
}

// Packages of npm that contain their sources, with their minimum number of edges.
func TestEdgesAreThoseOfTypeScriptInPackagesOfNPM(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, version string
		edges         int
	}{
		{"rxjs", "7.8.2", 2000},   // TypeScript, no extensions
		{"svelte", "5.19.0", 600}, // JavaScript modules, imports of package.json
		{"undici", "7.3.0", 200},  // CommonJS
		{"type-fest", "4.33.0", 150},
		{"zod", "4.6.7", 1500}, // .cts and .mts beside each other, sources in a directory of their own
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, installed(t, c.name, c.version), c.edges)
		})
	}
}
