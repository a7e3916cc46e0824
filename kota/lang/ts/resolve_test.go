package ts_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// resolver returns a resolver for a tree in txtar format.
func resolver(tree string) *ts.Resolver {
	content := map[string][]byte{}
	var files []string
	for _, f := range txtar.Parse([]byte(tree)).Files {
		content[f.Name] = f.Data
		if !strings.HasPrefix(f.Name, "node_modules/") {
			files = append(files, f.Name)
		}
	}
	return ts.NewResolver(context.Background(), files, func(f string) ([]byte, bool) { b, ok := content[f]; return b, ok })
}

// said formats a result as its path, with ~ when it is inferred, or its status.
func said(r lang.Target) string {
	switch {
	case r.Status == lang.Found && r.Inferred:
		return "~" + r.Path
	case r.Status == lang.Found:
		return r.Path
	}
	return []string{"found", "external", "builtin", "unresolved", "computed"}[r.Status]
}

// Holds kota 28, 29, 35, 36, 37.
func TestImportsTypeScriptCannotFindAreInferredOrReported(t *testing.T) {
	r := resolver(`
-- package.json --
{ "workspaces": ["packages/*", "!packages/not"] }
-- tsconfig.json --
{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "paths": { "~lib/*": ["./lib/*"] } } }
-- packages/unbuilt/package.json --
{ "name": "unbuilt", "main": "dist/index.js", "exports": { ".": { "import": "./dist/esm/index.mjs" }, "./x": "./dist/x.js", "./deep/*": "./dist/deep/*.js" } }
-- packages/unbuilt/src/index.ts --
-- packages/unbuilt/src/x.tsx --
-- packages/unbuilt/src/deep/a.ts --
-- packages/old/package.json --
{ "name": "old", "main": "lib/old.js" }
-- packages/old/src/old.js --
-- packages/not/package.json --
{ "name": "left-out", "main": "index.js" }
-- packages/not/index.js --
-- src/a.ts --
-- src/raw.svg --
-- src/View.vue --
-- src/m.mts --
-- public/logo.png --
`)
	for spec, want := range map[string]string{
		"unbuilt": "~packages/unbuilt/src/index.ts", "unbuilt/x": "~packages/unbuilt/src/x.tsx",
		"unbuilt/deep/a": "~packages/unbuilt/src/deep/a.ts", "unbuilt/none": "unresolved",
		"old": "~packages/old/src/old.js", "left-out": "~packages/not/index.js",
		"./raw.svg?url": "~src/raw.svg", "./raw.svg": "src/raw.svg", "raw-loader!./a.ts?x": "~src/a.ts", "./a?raw": "~src/a.ts",
		"/logo.png": "~public/logo.png", "../dist/src/a.js": "~src/a.ts",
		"react": "external", "@scope/x/y": "external", "fs": "builtin", "node:test": "builtin", "fs/promises": "builtin",
		"./gone": "unresolved", "~lib/gone": "unresolved", "#gone": "unresolved", "../../out": "unresolved", "": "computed",
	} {
		must.Equal(t, said(r.Find(ts.Request{From: "src/b.ts", Spec: spec})), want, "%q", spec)
	}
}

// Holds kota 25.
func TestConfigurationsThatCannotBeUsedAreNoted(t *testing.T) {
	r := resolver(`
-- a/tsconfig.json --
{ "extends": "./b.json" }
-- a/b.json --
{ "extends": "./tsconfig.json", "compilerOptions": { "baseUrl": "." } }
-- a/x.ts --
-- c/tsconfig.json --
{ not json
-- c/x.ts --
`)
	must.Equal(t, said(r.Find(ts.Request{From: "a/y.ts", Spec: "x"})), "a/x.ts", "in a cycle")
	must.Equal(t, said(r.Find(ts.Request{From: "c/y.ts", Spec: "./x"})), "c/x.ts", "beside what cannot be read")
	if got, want := strings.Join(r.Notes(), "|"), "a/tsconfig.json: extends itself|c/tsconfig.json: cannot be read"; got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
}

// Holds kota 25.
func TestInstalledConfigurationsAreExtended(t *testing.T) {
	r := resolver(`
-- tsconfig.json --
{ "extends": "@tsconfig/node/tsconfig.json", "references": [{ "path": "./app" }] }
-- node_modules/@tsconfig/node/package.json --
{ "name": "@tsconfig/node" }
-- node_modules/@tsconfig/node/tsconfig.json --
{ "compilerOptions": { "module": "nodenext" } }
-- app/tsconfig.json --
{ "compilerOptions": { "paths": { "@app/*": ["./*"] } } }
-- app/x.ts --
-- package.json --
{ "type": "module" }
-- main.ts --
`)
	must.Equal(t, said(r.Find(ts.Request{From: "main.ts", Spec: "./app/x"})), "~app/x.ts", "without an extension in a module of Node")
	if got := said(r.Find(ts.Request{From: "main.ts", Spec: "@app/x"})); got != "~app/x.ts" && got != "app/x.ts" {
		t.Errorf("by the paths of a referenced configuration: %s", got)
	}
	must.Contain(t, strings.Join(r.Consulted(), " "), "node_modules/@tsconfig/node/tsconfig.json", "consulted")
}

func TestPackagesOfPNPMAreThoseOfItsFile(t *testing.T) {
	r := resolver(`
-- package.json --
{}
-- pnpm-workspace.yaml --
packages:
  # comment
  - 'libs/**' # all
  - "!libs/off"
catalog:
  - nothing
-- libs/a/package.json --
{ "name": "a", "main": "a.js" }
-- libs/a/a.js --
-- libs/off/package.json --
{ "name": "off", "main": "off.js" }
-- libs/off/off.js --
-- copy/a/package.json --
{ "name": "a", "main": "copy.js" }
-- copy/a/copy.js --
`)
	for spec, want := range map[string]string{"a": "libs/a/a.js", "off": "~libs/off/off.js"} {
		must.Equal(t, said(r.Find(ts.Request{From: "x.ts", Spec: spec})), want, "%s", spec)
	}
}

// Holds kota 28.
func TestPackagesOfOneNameResolveToTheLinkedOrNearest(t *testing.T) {
	r := resolver(`
-- one/dep/package.json --
{ "name": "dep", "main": "one.js" }
-- one/dep/one.js --
-- one/package.json --
{ "name": "one", "dependencies": { "dep": "file:../two/dep" } }
-- two/dep/package.json --
{ "name": "dep", "main": "two.js" }
-- two/dep/two.js --
-- two/package.json --
{ "name": "two", "devDependencies": { "dep": "workspace:*" } }
`)
	for from, want := range map[string]string{"one/x.ts": "two/dep/two.js", "two/x.ts": "two/dep/two.js", "one/dep/x.ts": "one/dep/one.js", "x.ts": "~one/dep/one.js"} {
		must.Equal(t, said(r.Find(ts.Request{From: from, Spec: "dep"})), want, "in %s", from)
	}
}

func FuzzConfigurations(f *testing.F) {
	f.Add(`{ "extends": ["./tsconfig.json", "p"], "compilerOptions": { "paths": { "a*b": ["*"] }, "baseUrl": "${configDir}/.." } }`, `{ "name": "p", "exports": { "./*": [null, { "import": "./*" }] }, "imports": { "#*": "./*" } }`, "packages:\n - 'a'\n", "p/x")
	f.Add(`{ "extends": ["./tsconfig.json", "./tsconfig.json"], "references": [{ "path": "." }] }`, `{ "name": "p", "imports": { "#a": "#a", "#*": ["#*", "p/#a"] }, "exports": { "./*": "./*/*/*" }, "workspaces": ["{a,{a,a}}*", "!**"] }`, "packages: ['{a,b}']\n", "#a")
	f.Fuzz(func(t *testing.T, config, pkg, yaml, spec string) {
		content := map[string]string{"tsconfig.json": config, "package.json": pkg, "p/package.json": pkg, "pnpm-workspace.yaml": yaml, "a.ts": "", "p/x.ts": ""}
		var files []string
		for f := range content {
			files = append(files, f)
		}
		r := ts.NewResolver(context.Background(), files, func(f string) ([]byte, bool) { s, ok := content[f]; return []byte(s), ok })
		for _, from := range []string{"a.ts", "p/x.mts"} {
			res := r.Find(ts.Request{From: from, Spec: spec})
			if _, ok := content[res.Path]; res.Status == lang.Found && !ok {
				t.Errorf("%s in %s is %q, which is not there", spec, from, res.Path)
			}
		}
	})
}

func TestAPackageOfNodeModulesInTheTreeIsFound(t *testing.T) {
	t.Parallel()
	r := resolver(`
-- package.json --
{ "name": "root", "workspaces": ["packages/*"] }
-- packages/both/package.json --
{ "name": "both", "main": "index.js" }
-- packages/both/index.js --
-- test/a/index.js --
-- test/a/deep/index.js --
-- test/a/node_modules/plain.js --
-- test/a/node_modules/fs.js --
-- test/a/node_modules/dir/index.js --
-- test/a/node_modules/both/package.json --
{ "name": "both", "main": "main.js" }
-- test/a/node_modules/both/main.js --
-- test/a/node_modules/@s/p/package.json --
{ "name": "@s/p", "exports": { ".": "./in.js", "./x": "./out.js" } }
-- test/a/node_modules/@s/p/in.js --
-- test/a/node_modules/@s/p/out.js --
`)
	for at, want := range map[string]string{
		"test/a/index.js plain": "test/a/node_modules/plain.js", "test/a/deep/index.js plain": "test/a/node_modules/plain.js",
		"test/a/index.js dir": "test/a/node_modules/dir/index.js", "test/a/index.js dir/index.js": "test/a/node_modules/dir/index.js",
		"test/a/index.js both": "test/a/node_modules/both/main.js", "packages/both/index.js both": "packages/both/index.js",
		"test/a/index.js @s/p": "test/a/node_modules/@s/p/in.js", "test/a/index.js @s/p/x": "test/a/node_modules/@s/p/out.js",
		"test/a/index.js fs": "builtin", "test/b.js plain": "external",
	} {
		from, spec, _ := strings.Cut(at, " ")
		must.Equal(t, said(r.Find(ts.Request{From: from, Spec: spec})), want, "%s", at)
	}
}
