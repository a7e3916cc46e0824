package mcp

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/kotastub"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// Arguments that make the test binary run as something else.
const (
	asStub  = "-as-kotadb"
	asGuard = "-as-guard"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asStub:
			kotastub.Main()
		case asGuard:
			os.Exit(Guard(os.Args[2:], os.Stdin))
		}
	}
	os.Exit(m.Run())
}

// tree writes files into a new directory and returns that.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "shop")
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// shop is a small project.
func shop() map[string]string {
	return map[string]string{
		".gitignore":        "secret.ts\n",
		"package.json":      "{}",
		"src/money.ts":      "import { cart } from './cart'\nexport function money() {}\n",
		"src/cart.ts":       "import { money } from './money'\nimport 'react'\nexport function cart() { money() }\n",
		"src/page.ts":       "import { cart } from './cart'\ncart()\n",
		"src/secret.ts":     "import { cart } from './cart'\n",
		"test/cart.test.ts": "import { cart } from '../src/cart'\ncart()\n",
	}
}

// options returns options to ask the stub about a tree. odd names a failure to simulate.
func options(t *testing.T, root, odd string) (o Options, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	return Options{
		Root: root, Dir: filepath.Join(t.TempDir(), "kotadb"), Languages: lang.NewSet(ts.Language()),
		Command: []string{os.Args[0], asStub}, Guard: []string{os.Args[0], asGuard},
		Environ: append(os.Environ(), kotastub.Odd+"="+odd, kotastub.Log+"="+log, "SENTRY_DSN=https://example.invalid"),
		Version: "test", Start: time.Minute, Query: time.Minute, Index: time.Minute, Rest: time.Millisecond,
	}, log
}

// open opens an engine and closes it after the test.
func open(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// indexed opens an engine with an index. The failure odd is simulated only afterwards.
func indexed(t *testing.T, odd string) (e *Engine, log string) {
	t.Helper()
	o, log := options(t, tree(t, shop()), "")
	before := open(t, o)
	if err := before.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	before.Close()
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	o.Environ = append(o.Environ, kotastub.Odd+"="+odd)
	return open(t, o), log
}

// started lists the processes that the stub logged as started.
func started(t *testing.T, log string) []int {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	var out []int
	for line := range strings.Lines(string(b)) {
		if text, ok := strings.CutPrefix(line, "start "); ok {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, n)
		}
	}
	return out
}
