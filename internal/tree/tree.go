// Package tree writes a TypeScript project of any size for benchmarks and tests: a workspace of
// packages with barrels, aliases, components, tests, types and cycles. The same seed gives the
// same bytes. Code that ships must not use it.
package tree

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
)

// perPackage is the number of source files in a package.
const perPackage = 60

// Write writes a project with about this many source files below dir.
func Write(dir string, files int, seed int64) error {
	w := &writer{dir: dir, rng: rand.New(rand.NewSource(seed))}
	packages := max(1, files/perPackage)
	w.file("package.json", `{ "private": true, "workspaces": ["packages/*"] }`+"\n")
	w.file("tsconfig.base.json", "{\n  // for every package\n  \"compilerOptions\": { \"module\": \"esnext\", \"moduleResolution\": \"bundler\", \"strict\": true, },\n}\n")
	w.file(".gitignore", "node_modules\ndist\n")
	for p := range packages {
		w.pkg(p, files/packages)
	}
	return w.err
}

type writer struct {
	dir string
	rng *rand.Rand
	err error
}

// file writes a file, unless an earlier write failed.
func (w *writer) file(name, text string) {
	if w.err != nil {
		return
	}
	p := filepath.Join(w.dir, filepath.FromSlash(name))
	if w.err = os.MkdirAll(filepath.Dir(p), 0o700); w.err == nil {
		w.err = os.WriteFile(p, []byte(text), 0o600)
	}
}

// pkg writes a package: its sources, a barrel for each folder and one over them, and a test for
// every fifth source.
func (w *writer) pkg(p, files int) {
	root := fmt.Sprintf("packages/p%03d", p)
	w.file(root+"/package.json", fmt.Sprintf(`{ "name": "@acme/p%03d", "exports": { ".": "./src/index.ts", "./*": "./src/*.ts" } }`+"\n", p))
	w.file(root+"/tsconfig.json", `{ "extends": "../../tsconfig.base.json", "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }`+"\n")
	var barrel strings.Builder
	sources := files * 4 / 5
	for i := range sources {
		ext := ".ts"
		if i%4 == 3 {
			ext = ".tsx"
		}
		w.file(fmt.Sprintf("%s/src/f%d/m%03d%s", root, i%4, i, ext), w.source(p, i, ext))
		if i%5 == 0 {
			w.file(fmt.Sprintf("%s/src/f%d/m%03d.test.ts", root, i%4, i), w.test(i))
		}
	}
	for f := range 4 {
		var b strings.Builder
		for i := f; i < sources; i += 4 {
			fmt.Fprintf(&b, "export * from './m%03d'\n", i)
		}
		w.file(fmt.Sprintf("%s/src/f%d/index.ts", root, f), b.String())
		fmt.Fprintf(&barrel, "export * from './f%d'\n", f)
	}
	w.file(root+"/src/index.ts", barrel.String())
}

// source returns a module of about four kilobytes. It imports from its own package, by path and
// by alias, from earlier packages, and from packages that do not exist.
func (w *writer) source(p, i int, ext string) string {
	var b strings.Builder
	b.WriteString("// @license\nimport { useState } from 'react'\n")
	for k := range 1 + w.rng.Intn(3) {
		if i == 0 {
			break
		}
		j := w.rng.Intn(i)
		if k == 0 {
			fmt.Fprintf(&b, "import { make%03d, type Options%03d } from '../f%d/m%03d'\n", j, j, j%4, j)
		} else {
			fmt.Fprintf(&b, "import * as m%03d_%d from '@/f%d/m%03d'\n", j, k, j%4, j)
		}
	}
	if p > 0 {
		o := w.rng.Intn(p)
		fmt.Fprintf(&b, "import { Thing000 as Other, make000 } from '@acme/p%03d'\n", o)
	} else {
		b.WriteString("const Other = Object, make000 = String\n")
	}
	fmt.Fprintf(&b, "\nexport interface Options%03d {\n  name: string\n  size?: number\n  on(event: 'open' | 'close', fn: () => void): void\n}\n", i)
	fmt.Fprintf(&b, "\nexport class Thing%03d {\n  private readonly items = new Map<string, number>()\n  constructor(public options: Options%03d) {}\n", i, i)
	for m := range 8 {
		fmt.Fprintf(&b, "\n  /** Does the %dth thing, which takes a while. */\n  method%d(a: number, b: string): number {\n    const key = `${this.options.name}-${b.replace(/[^a-z/]/g, '')}`\n    const old = this.items.get(key) ?? 0\n    if (old / 2 > a) {\n      return make000(old) ? old : a\n    }\n    this.items.set(key, old + a)\n    return this.items.size / (a || 1)\n  }\n", m, m)
	}
	b.WriteString("}\n")
	fmt.Fprintf(&b, "\nexport function make%03d(n: unknown) {\n  return new Other(n as never)\n}\n", i)
	if ext == ".tsx" {
		fmt.Fprintf(&b, "\nexport const View%03d = ({ title }: { title: string }) => {\n  const [open, setOpen] = useState(false)\n  return (\n    <section className=\"view\" onClick={() => setOpen(!open)}>\n      <h1>it's {title}, from \"./nowhere\"</h1>\n      {open && <p>{make%03d(title).toString()}</p>}\n    </section>\n  )\n}\n", i, i)
	}
	if w.rng.Intn(6) == 0 {
		fmt.Fprintf(&b, "\nexport const later = () => import('./m%03d').then((m) => m.make%03d(1))\n", i, i)
	}
	for k := range 14 {
		fmt.Fprintf(&b, "\nconst helper%d = (value: number) => {\n  // it is only here to be read\n  return value > %d ? value - 1 : value + 1\n}\n", k, w.rng.Intn(1000))
	}
	return b.String()
}

func (w *writer) test(i int) string {
	return fmt.Sprintf("import { expect, it } from 'vitest'\nimport { Thing%03d, make%03d } from '.'\n\nit('works', () => {\n  expect(make%03d(new Thing%03d({ name: 'a', on() {} }))).toBeTruthy()\n})\n", i, i, i, i)
}
