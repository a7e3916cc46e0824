package ts

import (
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// manifest is the file in which several runners are configured, each under its name.
const manifest = "package.json"

// IsConfig reports whether a file configures a test runner, by its name.
func IsConfig(p string) bool {
	base := path.Base(p)
	if strings.HasPrefix(base, ".mocharc") {
		return true
	}
	name, rest, dotted := strings.Cut(base, ".")
	if !dotted || lex.OfFile(base)&lex.Module == 0 && path.Ext(base) != ".json" {
		return false
	}
	switch name {
	case "jest", "vitest", "vite", "ava", "playwright", "playwright-ct", "cypress":
		return strings.Contains("."+rest, ".config.") || strings.Contains("."+rest, ".workspace.")
	}
	return false
}

// wanted reports whether the strings below a key are patterns of tests.
func wanted(key string) bool {
	switch key {
	case "include", "testMatch", "specPattern", "spec", "files", "testDir":
		return true
	}
	return false
}

// isRunner reports whether a key of the manifest configures a test runner.
func isRunner(key string) bool {
	return key == "jest" || key == "ava" || key == "mocha" || key == "vitest"
}

// patterns lists the glob patterns of tests in a configuration, relative to its directory. The
// file is read only as nested keys with strings: values that code computes are ignored.
func patterns(file string, data []byte) []string {
	base := path.Base(file)
	var out, dirs []string
	if strings.HasPrefix(base, ".mocharc.y") {
		for _, spec := range yamlList(string(data), "spec") {
			out = append(out, clean(spec))
		}
		return out
	}
	matched := false
	lex.EachString(data, func(keys []string, text string) {
		key := keys[len(keys)-1]
		switch {
		case !wanted(key), slices.Contains(keys, "coverage"), slices.Contains(keys, "optimizeDeps"):
		case base == manifest && !isRunner(keys[0]):
		case strings.HasPrefix(base, "vite.") && !slices.Contains(keys, "test"):
		case strings.HasPrefix(text, "!"):
			out = append(out, "!"+clean(text[1:]))
		case key == "testDir":
			dirs = append(dirs, clean(text))
		default:
			matched = matched || key == "testMatch"
			out = append(out, clean(text))
		}
	})
	if matched {
		return out
	}
	for _, dir := range dirs { // Playwright's default pattern below its testDir
		out = append(out, path.Join(dir, "**/*.{test,spec}.{ts,tsx,mts,cts,js,jsx,mjs,cjs}"))
	}
	return out
}

// clean makes a pattern relative to the directory of its configuration.
func clean(pattern string) string {
	pattern = strings.TrimPrefix(pattern, "<rootDir>/")
	return path.Clean(strings.TrimPrefix(pattern, "./"))
}
