package tool

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/message"
)

// Files numbers files, so that different spellings of a path share a number. The zero Files
// is ready for use; it is not safe for concurrent use.
type Files struct {
	// CWD is the directory of relative paths, "" when unknown.
	CWD string

	byLiteral map[string]int
	byPath    map[string]int
	clean     []string
}

// Path returns the path of a file by its number, absolute if the directory is known.
func (t *Files) Path(n int) string { return t.clean[n] }

// OfLiteral returns the number of the file that a JSON string literal names.
func (t *Files) OfLiteral(literal []byte) int {
	if n, ok := t.byLiteral[string(literal)]; ok {
		return n
	}
	n := t.Of(message.Unquote(literal))
	if t.byLiteral == nil {
		t.byLiteral = make(map[string]int)
	}
	t.byLiteral[string(literal)] = n
	return n
}

// Of returns the number of the file that a path names.
func (t *Files) Of(file string) int {
	file = CleanPath(file, t.CWD)
	n, ok := t.byPath[file]
	if !ok {
		n = len(t.clean)
		if t.byPath == nil {
			t.byPath = make(map[string]int)
		}
		t.byPath[file] = n
		t.clean = append(t.clean, file)
	}
	return n
}

// CleanPath normalizes a path from a call. Like pi, it removes a leading @, which models
// copy from the user's prompt.
func CleanPath(file, cwd string) string {
	file = strings.TrimPrefix(strings.TrimPrefix(file, "@"), "file://")
	if windows := len(cwd) > 1 && cwd[1] == ':'; windows || !strings.Contains(file, "/") && strings.Contains(file, `\`) {
		file, cwd = Slashes(file), Slashes(cwd)
	}
	if file == "" {
		return cwd
	}
	if !path.IsAbs(file) && (len(file) < 2 || file[1] != ':') && cwd != "" {
		return path.Join(cwd, file)
	}
	return path.Clean(file)
}

// Slashes converts a path to forward slashes.
func Slashes(file string) string { return strings.ReplaceAll(file, `\`, "/") }

// MatchName reports whether one of the globs matches a name. An invalid glob matches
// nothing.
func MatchName(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := doublestar.Match(g, name); ok && err == nil {
			return true
		}
	}
	return false
}

// MatchPath reports whether one of the globs matches a file. A glob without a slash is
// matched with the last element of the path, one that starts with a slash with the whole
// path, any other with both the whole path and the one relative to cwd.
func MatchPath(globs []string, file, cwd string) bool {
	if len(globs) == 0 {
		return false
	}
	relative := file
	if cwd != "" {
		if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(Slashes(cwd), "/")+"/"); ok {
			relative = rest
		}
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	for _, g := range globs {
		g = strings.TrimPrefix(g, "./")
		switch {
		case strings.HasPrefix(g, "/"):
			if MatchName([]string{g}, file) {
				return true
			}
		case !strings.Contains(g, "/"):
			if MatchName([]string{g}, base) {
				return true
			}
		case MatchName([]string{g}, relative), MatchName([]string{g}, file):
			return true
		}
	}
	return false
}
