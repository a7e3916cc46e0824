package words

import (
	"path"
	"slices"
	"strings"
)

// Within reports whether a path is in a directory, or is the directory.
func Within(p, dir string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") || p == dir }

// IsAbout reports whether the name of a test says that it tests a file: url.test.ts and
// url.parse.test.ts both test url.ts.
func IsAbout(subject, name string) bool {
	rest, ok := strings.CutPrefix(subject, name)
	return ok && (rest == "" || rest[0] == '.')
}

// IsNear reports whether a test's directory fits that of a file: it is the same, or it is in a
// test directory whose parent contains the file, as with test/specs/a.test.js and src/a.js.
func IsNear(test, file string) bool {
	if test == file {
		return true
	}
	for d := test; d != "."; d = path.Dir(d) {
		switch path.Base(d) {
		case "test", "tests", "__tests__", "__test__", "spec", "specs", "unit":
			if Within(file, path.Dir(d)) {
				return true
			}
		}
	}
	return false
}

// SharedDirs counts the elements of directory a that directory b has, too.
func SharedDirs(a, b string) int {
	n := 0
	for d := range strings.SplitSeq(a, "/") {
		if slices.Contains(strings.Split(b, "/"), d) {
			n++
		}
	}
	return n
}

// Differences counts the elements that only one of two sorted lists of paths has.
func Differences(a, b []string) (onlyA, onlyB int) {
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0], b[0]); {
		case c < 0:
			onlyA, a = onlyA+1, a[1:]
		case c > 0:
			onlyB, b = onlyB+1, b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return onlyA + len(a), onlyB + len(b)
}

// IsProse reports whether files with an extension are source code or prose that people write.
func IsProse(extension string) bool {
	switch extension {
	case ".go", ".py", ".rb", ".rs", ".java", ".kt", ".kts", ".swift", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".php", ".scala", ".ex", ".exs",
		".clj", ".dart", ".lua", ".pl", ".r", ".jl", ".zig", ".sh", ".bash", ".ps1", ".sql", ".graphql", ".gql", ".proto", ".elm", ".ml", ".hs", ".coffee",
		".md", ".mdx", ".rst", ".adoc", ".html", ".css", ".scss", ".less":
		return true
	}
	return false
}
