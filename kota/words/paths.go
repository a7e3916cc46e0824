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
