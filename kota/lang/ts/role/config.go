package role

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang/ts/ext"
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
	if !dotted || ext.OfFile(base)&ext.Module == 0 && path.Ext(base) != ".json" {
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
	if strings.HasPrefix(base, ".mocharc.y") {
		return yamlSpecs(string(data))
	}
	var out []string
	var dirs []string
	matched := false
	eachString(data, func(keys []string, text string) {
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

// eachString calls fn with every string that is the value of a key, or an element of that value,
// and with the enclosing keys, outermost first.
func eachString(data []byte, fn func(keys []string, text string)) {
	var stack []string // the key of each open brace
	key, squares := "", 0
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '/' && i+1 < len(data) && (data[i+1] == '/' || data[i+1] == '*'):
			i = skipComment(data, i)
			continue
		case c == '"' || c == '\'' || c == '`':
			end := stringEnd(data, i)
			text := string(data[i+1 : max(end-1, i+1)])
			if i = end; nextByte(data, i) == ':' {
				key = text
			} else if key != "" && len(stack) < maxNesting {
				fn(append(slices.DeleteFunc(slices.Clone(stack), func(s string) bool { return s == "" }), key), text)
			}
			continue
		case c == '{':
			stack, key = append(stack, key), ""
		case c == '}' && len(stack) > 0:
			stack, key = stack[:len(stack)-1], ""
		case c == '[':
			squares++
		case c == ']' && squares > 0, c == ',' && squares == 0:
			if squares = max(squares-1, 0); squares == 0 {
				key = ""
			}
		case isWord(c):
			end := i
			for end < len(data) && isWord(data[end]) {
				end++
			}
			if nextByte(data, end) == ':' {
				key = string(data[i:end])
			}
			i = end
			continue
		}
		i++
	}
}

// maxNesting is the depth to which braces in a configuration are read.
const maxNesting = 32

func isWord(c byte) bool { return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$' }

// nextByte returns the first byte from i on that is not white space, 0 at the end.
func nextByte(data []byte, i int) byte {
	for ; i < len(data); i++ {
		if c := data[i]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(data []byte, i int) int {
	quote := data[i]
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(data)
}

// skipComment returns the index after the comment that begins at i.
func skipComment(data []byte, i int) int {
	end := "\n"
	if data[i+1] == '*' {
		end = "*/"
	}
	if n := bytes.Index(data[i+2:], []byte(end)); n >= 0 {
		return i + 2 + n + len(end)
	}
	return len(data)
}

// yamlSpecs lists the specs in a .mocharc.yml.
func yamlSpecs(text string) []string {
	specLine := regexp.MustCompile(`^(?:spec:|\s+-|-)\s*['"]?([^'"\s]+)`)
	var out []string
	in := false
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); line != "" && line[0] != ' ' && line[0] != '-' {
			in = strings.HasPrefix(line, "spec:")
		}
		if m := specLine.FindStringSubmatch(line); in && m != nil {
			out = append(out, clean(m[1]))
		}
	}
	return out
}
