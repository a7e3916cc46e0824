package ts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// roles returns the roles of the files of a tree in txtar format.
func roles(tree string) map[string]lang.Role {
	content := map[string][]byte{}
	t := lang.Tree{Read: func(f string) ([]byte, bool) { b, ok := content[f]; return b, ok }}
	for _, f := range txtar.Parse([]byte(tree)).Files {
		content[f.Name] = f.Data
		t.Files = append(t.Files, f.Name)
	}
	out := map[string]lang.Role{}
	known, scanner := ts.NewRoles(t), new(scan.Scanner)
	for _, f := range t.Files {
		facts := scanner.File(f, content[f])
		out[f] = known.Role(f, &facts)
	}
	return out
}

// fileOf returns the content of a file of a tree in txtar format.
func fileOf(tree, name string) []byte {
	for _, f := range txtar.Parse([]byte(tree)).Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// The usual layouts of each runner: tests, test support, and production code that looks like
// either by its path.
//
// Holds kota 42.
func TestTestsAreToldFromTheirSupportInTheLayoutOfEveryRunner(t *testing.T) {
	t.Parallel()
	layouts := must.Get(filepath.Glob("testdata/layouts/*.txtar"))(t)
	if len(layouts) < 7 {
		t.Fatalf("only %d layouts were found", len(layouts))
	}
	for _, layout := range layouts {
		tree := string(must.Get(os.ReadFile(layout))(t))
		for f, got := range roles(tree) {
			want := lang.Production
			switch content := string(fileOf(tree, f)); {
			case strings.HasPrefix(content, "// a test\n"):
				want = lang.Test
			case strings.HasPrefix(content, "// support\n"):
				want = lang.Support
			}
			must.Equal(t, got, want, "%s: %s has role", layout, f)
		}
	}
}

func TestTheSubjectOfATestIsItsNameWithoutWhatMarksIt(t *testing.T) {
	for name, want := range map[string]string{
		"src/url.test.ts": "url", "a/url.parse.spec.js": "url.parse", "core.scale.tests.js": "core.scale", "url-test.mjs": "url", "url_spec.js": "url",
		"urlSpec.js": "url", "UrlTest.tsx": "Url", "test/test-url.js": "url", "url.js": "url", "test.js": "test", "latest.js": "latest", "a.test-d.ts": "a", "a.e2e-spec.ts": "a",
	} {
		must.Equal(t, ts.Subject(name), want, "%s is about", name)
	}
}

// Any configuration is read with bounded work and without failing.
func FuzzRunnerConfig(f *testing.F) {
	f.Add("vitest.config.ts", "export default { test: { include: ['a/**', `b/{c,d}`] } }")
	f.Add("package.json", `{ "jest": { "testMatch": ["{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}b"] } }`)
	f.Add(".mocharc.yml", "spec: test/*.js\n")
	f.Add("playwright.config.ts", "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{ testDir: '")
	f.Fuzz(func(t *testing.T, name, config string) {
		r := ts.NewRoles(lang.Tree{Files: []string{name}, Read: func(string) ([]byte, bool) { return []byte(config), true }})
		must.Equal(t, r.Role("src/a.ts", &lang.Facts{Exports: []lang.Export{{Name: "a", Local: "a", From: -1}}}), lang.Production, "a file with exports has role")
	})
}
