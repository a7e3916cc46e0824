package kota_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// named is a tree with files of many kinds.
func named() kota.Tree {
	return kota.Tree{Root: "/home/pi/app", Dir: "packages/web", Files: []string{
		"src/foo.ts", "src/a.ts", "src/b.ts", "src/env.ts", "app/(group)/page.tsx", "app/[id]/page.tsx", "app/(group)/[id]/page.tsx",
		"src/ünï/x.ts", "src/win/a.ts", "packages/@scope/ui/src/a.tsx", "packages/web/src/only.ts", "my dir/with space.ts",
		"src/index.ts", "packages/web/index.ts", "src/b.html.ts", "2/3.ts", "日本/語.ts", "src/odd,name.ts", "lib/a-b_c.d.ts", "@types/x.d.ts",
	}}
}

// Holds kota 68, 69.
func TestAPromptNamesTheFilesThatAreThere(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		// Cases that a naive pattern gets right.
		"look at src/foo.ts please": "src/foo.ts", "./src/a.ts": "src/a.ts", "src/foo.ts:12:5": "src/foo.ts", "fix `src/a.ts`": "src/a.ts",
		// Cases that it misses.
		"foo.ts is broken": "src/foo.ts", "app/(group)/page.tsx": "app/(group)/page.tsx", "app/[id]/page.tsx": "app/[id]/page.tsx",
		"app/(group)/[id]/page.tsx!": "app/(group)/[id]/page.tsx", "src/ünï/x.ts": "src/ünï/x.ts", `src\win\a.ts`: "src/win/a.ts", "日本/語.ts。": "日本/語.ts",
		"see 日本/語.ts ": "日本/語.ts",
		// Cases that it gets wrong.
		"/home/pi/app/src/a.ts": "src/a.ts", "/home/pi/app/../secret/a.ts": "", "packages/@scope/ui/src/a.tsx": "packages/@scope/ui/src/a.tsx",
		"https://example.com/a/b.html": "", "https://example.com/src/a.ts": "", "version 1.2/3.4": "", "12/31.2026": "", "I/O.ok": "", "src/.env": "", ".env": "",
		"and/or either/or.": "", "@scope/ui": "", "lodash/fp.js and react.js": "", "node.js 20.1.0": "", "use Foo.ts": "",
		// Ways in which people write paths.
		"(src/a.ts)": "src/a.ts", "[src/a.ts]": "src/a.ts", "src/a.ts.": "src/a.ts", "src/a.ts?": "src/a.ts", "src/a.ts:": "src/a.ts", "src/a.ts, src/b.ts;src/foo.ts": "src/a.ts src/b.ts src/foo.ts",
		"**src/a.ts**": "src/a.ts", "_src/a.ts_": "src/a.ts", "@src/a.ts": "src/a.ts", "[the file](src/a.ts)": "src/a.ts", "[x](./src/a.ts#L3-L9).": "src/a.ts", "src/a.ts#L12": "src/a.ts",
		"error in src/a.ts(12,5): no": "src/a.ts", "at f (/home/pi/app/src/a.ts:3:4)": "src/a.ts", `"my dir/with space.ts"`: "my dir/with space.ts", "'src/odd,name.ts'": "src/odd,name.ts",
		"“src/a.ts” and «src/b.ts»": "src/a.ts src/b.ts", "the app's src/a.ts": "src/a.ts", "file:///home/pi/app/src/a.ts": "", "a src/a.ts b src/a.ts:3": "src/a.ts", "lib/a-b_c.d.ts": "lib/a-b_c.d.ts",
		"@types/x.d.ts": "@types/x.d.ts", `C:\home\pi\app\src\a.ts`: "", "src//a.ts": "src/a.ts", "src/../src/a.ts": "src/a.ts", "../../src/a.ts": "src/a.ts", "../../../src/a.ts": "",
		// The working directory comes first; an ambiguous name matches nothing.
		"src/only.ts": "packages/web/src/only.ts", "index.ts": "packages/web/index.ts", "src/index.ts": "src/index.ts", "page.tsx": "", "only.ts": "packages/web/src/only.ts",
		"": "", "...": "", "/": "", "\x00\xff": "",
	} {
		must.Equal(t, strings.Join(kota.Mentions(prompt, named()), " "), want, "%q names", prompt)
		must.Not(t, want != "" && !kota.MayMention(prompt, func(name string) bool { return strings.Contains(name, ".ts") }), "%q is thought to name nothing", prompt)
	}
}

func TestOnlyTheBeginningOfALongPromptIsSearched(t *testing.T) {
	t.Parallel()
	got := kota.Mentions(strings.Repeat("ü ", 1<<20)+"src/a.ts", named())
	must.Not(t, len(got) > 0, "found %q", got)
}

func TestAPromptWithoutANameOfCodeNeedsNoTree(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"", "Fix it.", "Go on. Then 1.2, e.g. README.md!", "https://example.com/a.ts"} {
		must.Not(t, kota.MayMention(prompt, func(name string) bool { return strings.HasSuffix(name, ".ts") }), "%q is thought to name a file", prompt)
	}
}

// For any prompt, only files of the tree are listed, each once, and a path between spaces is
// always found.
func FuzzMentions(f *testing.F) {
	for _, s := range []string{"src/a.ts", "`app/(group)/page.tsx:3`", "[a](src/a.ts)", "((((", "::::", "a#L", "(1,2)", "“", `\\\`, "](", "src/\xff.ts"} {
		f.Add(s)
	}
	tree := named()
	f.Fuzz(func(t *testing.T, prompt string) {
		got := kota.Mentions(prompt, tree)
		for i, p := range got {
			must.Not(t, !slices.Contains(tree.Files, p) || slices.Contains(got[:i], p), "%q names %q", prompt, got)
		}
		if strings.ContainsAny(prompt, "`\"'“”‘’«»„\n") || len(prompt) > 1000 {
			return // it may quote what follows
		}
		with := kota.Mentions(prompt+" src/foo.ts ", tree)
		must.Not(t, !slices.Contains(with, "src/foo.ts"), "%q and src/foo.ts names %q", prompt, with)
	})
}

func TestAQuestionNamesFilesByPathsOfOtherMachines(t *testing.T) {
	t.Parallel()
	files := []string{"lib/run.js", "lib/launchers/run.js", "packages/a/src/index.ts", "packages/b/src/index.ts", "main.go", "internal/fs/file.go"}
	isCode := func(name string) bool {
		return strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".go")
	}
	for question, want := range map[string]string{
		"at Object.run (/app/node_modules/tool/lib/launchers/run.js:28:5)":       "lib/launchers/run.js",
		"at run (C:\\app\\lib\\run.js:28:5)":                                     "lib/run.js",
		"webpack:///./node_modules/tool/lib/run.js:203:12":                       "lib/run.js",
		"https://example.com/x/y/blob/main/internal/fs/file.go#L12-L20 is wrong": "internal/fs/file.go",
		"\t/go/src/example.com/x/internal/fs/file.go:301 +0x1b8":                 "internal/fs/file.go",
		"launchers/run.js ignores its limit":                                     "lib/launchers/run.js",
		"first packages/b/src/index.ts, then lib/run.js, again lib/run.js:3":     "packages/b/src/index.ts lib/run.js",
		"src/index.ts is that of two packages":                                   "",
		"run.js and main.go are bare names, which programs have, too":            "",
		"/usr/local/go/src/runtime/main.go:774 is in no directory of this tree":  "",
		"not there: lib/gone.js, lib/run.css":                                    "",
		"no path at all":                                                         "",
	} {
		must.Equal(t, strings.Join(kota.NamedIn(question, isCode, func() []string { return files }), " "), want, "%q names", question)
	}
	kota.NamedIn("no path of code: a/b.css, and/or", isCode, func() []string { t.Error("the files are listed for nothing"); return nil })
}
