package hooks_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const extension = "pi/extension"

// sources are the files of the extension that pi loads.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(extension + "/*.ts")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	return files
}

// What pictx does is decided in the program; the extension hands events over and
// applies what comes back, so that it need not change with every feature.
func TestTheExtensionNamesNoFeature(t *testing.T) {
	features := regexp.MustCompile(`(?i)prun(e|ing)|\blcm|lossless|histor|\bgrep|decision|kota|\bblob|marker|\bmarks?\b.*pruned|summari[sz]|recall|embedding`)
	for _, file := range sources(t) {
		for i, line := range strings.Split(string(read(t, file)), "\n") {
			line = strings.NewReplacer("messagesToSummarize", "", "cache_warming_decision", "").Replace(line) // pi's own names
			if m := features.FindString(line); m != "" {
				t.Errorf("%s:%d names %q: %s", file, i+1, m, strings.TrimSpace(line))
			}
		}
	}
}

// The extension must load in every version of pi, without an installation.
func TestTheExtensionImportsNothingButNodeAndItself(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^\s*(?:import|export)\b[^;]*?from\s+"([^"]+)"`)
	dynamic := regexp.MustCompile(`import\(\s*"([^"]+)"`)
	for _, file := range sources(t) {
		text := string(read(t, file))
		for _, m := range imports.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(m[1], "node:") && !strings.HasPrefix(m[1], "./") {
				t.Errorf("%s imports %s", file, m[1])
			}
		}
		for _, m := range dynamic.FindAllStringSubmatch(text, -1) {
			// pi resolves these two names in every version; the code does without them.
			if m[1] != "@mariozechner/pi-ai" && m[1] != "@mariozechner/pi-tui" {
				t.Errorf("%s imports %s", file, m[1])
			}
		}
	}
}

// nodePath finds a node that runs TypeScript: 22.18 or later.
func nodePath() string {
	cache := os.Getenv("PICTX_PI_CACHE")
	if home, err := os.UserHomeDir(); cache == "" && err == nil {
		cache = filepath.Join(home, ".cache", "pictx-pi")
	}
	node := filepath.Join(cache, "node22", "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		return ""
	}
	return node
}

// The extension's own tests: the worked examples from the other side, and what
// becomes of everything that can go wrong.
func TestTheExtensionPassesItsOwnTests(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it tests no Go")
	}
	node := nodePath()
	if node == "" {
		t.Skip("not run: there is no node 22; testdata/record/setup.sh installs it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	files, err := filepath.Glob(extension + "/*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tests, %v", len(files), err)
	}
	out, err := exec.CommandContext(ctx, node, append([]string{"--test", "--test-reporter=spec"}, files...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`(?m)^. pass [1-9][0-9]*$`).Match(out) {
		t.Errorf("nothing passed\n%s", out)
	}
}
