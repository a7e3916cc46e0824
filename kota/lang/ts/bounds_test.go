package ts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// tree returns a resolver and counts its reads.
func tree(ctx context.Context, content map[string]string, reads *int) *ts.Resolver {
	var files []string
	for f := range content {
		files = append(files, f)
	}
	return ts.NewResolver(ctx, files, func(f string) ([]byte, bool) {
		*reads++
		s, ok := content[f]
		return []byte(s), ok
	})
}

// Such a package.json once crashed the program: a stack overflow cannot be recovered.
func TestPackageImportsThatNameEachOtherEnd(t *testing.T) {
	t.Parallel()
	for _, imports := range []string{`{"#a":"#a"}`, `{"#a":"#b","#b":"#a"}`, `{"#a":["#a","#b"],"#b":{"default":"#a"}}`, `{"#*":"#x/*"}`} {
		var reads int
		r := tree(t.Context(), map[string]string{"package.json": `{"name":"p","imports":` + imports + `}`, "a.ts": ""}, &reads)
		got := r.Find(ts.Request{From: "a.ts", Spec: "#a"})
		must.Not(t, got.Status != lang.Unresolved, "%s: %+v", imports, got)
	}
	var reads int
	r := tree(t.Context(), map[string]string{"package.json": `{"imports":{"#a":["#a","./a.js"],"#out":"dep"}}`, "a.ts": ""}, &reads)
	if got := r.Find(ts.Request{From: "a.ts", Spec: "#a"}); got.Path != "a.ts" {
		t.Errorf("an import after one that cannot be followed: %+v", got)
	}
	if got := r.Find(ts.Request{From: "a.ts", Spec: "#out"}); got.Status != lang.External {
		t.Errorf("an import of another package: %+v", got)
	}
}

// Without a cache, n files that each extend the next one three times take 3^n reads.
func TestConfigurationsThatExtendManyTimesOverAreBounded(t *testing.T) {
	t.Parallel()
	content := map[string]string{"tsconfig.json": `{"extends":"./t0.json"}`, "a.ts": "", "t30.json": `{"compilerOptions":{"baseUrl":"."}}`}
	for i := range 30 {
		next := fmt.Sprintf(`"./t%d.json"`, i+1)
		content[fmt.Sprintf("t%d.json", i)] = `{"extends":[` + next + "," + next + "," + next + `]}`
	}
	var reads int
	r := tree(t.Context(), content, &reads)
	r.Find(ts.Request{From: "a.ts", Spec: "b"})
	must.Not(t, reads > 100, "%d reads of %d files", reads, len(content))
	must.Contain(t, strings.Join(r.Notes(), "\n"), "extends too many files", "notes")
}

func TestWorkspacePatternsThatStandForTooManyAreNoted(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a", 50)
	for _, content := range []map[string]string{
		{"package.json": `{"name":"x","workspaces":["` + strings.Repeat("{a,a}", 40) + `b"]}`},
		{"package.json": `{"name":"x"}`, "pnpm-workspace.yaml": "packages:\n  - '" + strings.Repeat("{a,a}", 40) + "b'\n"},
	} {
		content[deep+"/package.json"] = `{"name":"q"}`
		var reads int
		r := tree(t.Context(), content, &reads)
		must.Contain(t, strings.Join(r.Notes(), "\n"), "a pattern of its workspaces cannot be used", "notes")
	}
}

// A cancelled query must not wait for a repository of many packages.
func TestTheResolverStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	content := map[string]string{}
	for i := range 50 {
		content[fmt.Sprintf("p%d/package.json", i)] = `{"name":"p","workspaces":["*"]}`
	}
	var reads int
	if tree(ctx, content, &reads); reads > 0 {
		t.Errorf("%d reads after the end", reads)
	}
}

// Where extensions are required, Node and TypeScript skip the directory and use the exports of
// the package.
func TestAPackageExportIsPreferredToADirectoryThatOnlyABundlerFinds(t *testing.T) {
	t.Parallel()
	var reads int
	r := tree(t.Context(), map[string]string{
		"package.json":                        `{"type":"module","workspaces":["packages/*"]}`,
		"tsconfig.json":                       `{"compilerOptions":{"module":"nodenext","paths":{"@p/next/*":["./packages/next/src/*"]}}}`,
		"packages/next/package.json":          `{"name":"@p/next","type":"module","exports":{"./routes":"./src/exports/routes.ts"}}`,
		"packages/next/src/routes/index.ts":   "",
		"packages/next/src/exports/routes.ts": "",
		"packages/next/src/views/index.ts":    "",
		"a.ts":                                "",
	}, &reads)
	if got := r.Find(ts.Request{From: "a.ts", Spec: "@p/next/routes"}); got.Path != "packages/next/src/exports/routes.ts" || got.Inferred {
		t.Errorf("what the package exports: %+v", got)
	}
	if got := r.Find(ts.Request{From: "a.ts", Spec: "@p/next/views"}); got.Path != "packages/next/src/views/index.ts" || !got.Inferred {
		t.Errorf("what only a bundler finds: %+v", got)
	}
}
