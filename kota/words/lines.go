package words

import "strings"

// IsComment reports whether a line looks like a comment.
func IsComment(line string) bool {
	l := strings.TrimLeft(line, " \t")
	for _, begin := range [...]string{"//", "/*", "* ", "*/", "<!--"} {
		if strings.HasPrefix(l, begin) {
			return true
		}
	}
	return false
}

// IsAside reports whether a file is not part of the program itself: it is in a directory of examples,
// fixtures, benchmarks, documentation, build output, or in a hidden one.
func IsAside(path string) bool {
	dirs := strings.Split(strings.ToLower(path), "/")
	if base := dirs[len(dirs)-1]; strings.Contains(base, ".stories.") || strings.Contains(base, ".story.") {
		return true
	}
	for _, dir := range dirs[:len(dirs)-1] {
		if isAside(strings.Trim(dir, "_")) || isAside(dir[strings.LastIndexByte(dir, '-')+1:]) || strings.HasPrefix(dir, ".") {
			return true
		}
	}
	return false
}

// isAside reports whether directories of that name are not part of the program itself.
func isAside(name string) bool {
	switch strings.TrimSuffix(name, "s") {
	case "fixture", "benchmark", "bench", "doc", "website", "script", "template", "dist", "build", "vendor", "codemod", "integration", "flow-typed",
		"example", "sample", "demo", "playground", "sandbox", "stories", "storie", "storybook":
		return true
	}
	return false
}
