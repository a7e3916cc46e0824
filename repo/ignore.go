package repo

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFile is a .gitignore. Rules without wildcards are looked up in maps, so that a file of
// many thousand lines is as fast as a short one.
type ignoreFile struct {
	dir    string // "." for the root
	rules  []ignoreRule
	byName map[string][]int // rules for a name in any directory
	byPath map[string][]int // rules for one path
	globs  []int            // all other rules
}

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	pattern string // pattern of doublestar, relative to the file's directory
	not     bool   // a "!" rule: it includes what it matches
	dirs    bool   // it matches only directories
}

// maxIgnore is the size, in bytes, above which a .gitignore is not read.
const maxIgnore = 1 << 20

// maxGlobs is the maximum number of rules with wildcards in one .gitignore: every file is
// compared with each of them. People write a few hundred at most.
const maxGlobs = 4096

// newIgnoreFile sorts rules by how they are looked up.
func newIgnoreFile(dir string, rules []ignoreRule) ignoreFile {
	f := ignoreFile{dir: dir, rules: rules, byName: make(map[string][]int), byPath: make(map[string][]int)}
	for i, r := range rules {
		name, anywhere := strings.CutPrefix(r.pattern, "**/")
		switch {
		case anywhere && !strings.ContainsAny(name, `*?[\/`):
			f.byName[name] = append(f.byName[name], i)
		case anywhere || strings.ContainsAny(name, `*?[\`):
			if len(f.globs) < maxGlobs {
				f.globs = append(f.globs, i)
			}
		default:
			f.byPath[name] = append(f.byPath[name], i)
		}
	}
	return f
}

// last returns the index of the last rule that matches a path relative to the file's directory,
// -1 when none does.
func (f ignoreFile) last(rel string, isDir bool) int {
	last := -1
	for _, known := range [][]int{f.byName[path.Base(rel)], f.byPath[rel]} {
		for _, i := range known {
			if isDir || !f.rules[i].dirs {
				last = max(last, i)
			}
		}
	}
	for _, i := range slices.Backward(f.globs) {
		if i < last {
			break
		}
		if r := f.rules[i]; (isDir || !r.dirs) && doublestar.MatchUnvalidated(r.pattern, rel) {
			return i
		}
	}
	return last
}

// braces escapes braces.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`, `\{`, `\{`, `\}`, `\}`)

// ignoreRules reads the lines of a .gitignore.
func ignoreRules(text string) []ignoreRule {
	var out []ignoreRule
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " \t")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r := ignoreRule{}
		if line[0] == '!' {
			r.not, line = true, line[1:]
		}
		if strings.HasSuffix(line, "/") {
			r.dirs, line = true, strings.TrimSuffix(line, "/")
		}
		switch {
		case strings.HasPrefix(line, "/"):
			line = line[1:]
		case !strings.Contains(line, "/"):
			line = "**/" + line
		}
		// To git, braces are ordinary characters; as alternatives they would also make
		// matching slow.
		r.pattern = braces.Replace(line)
		if line != "" && doublestar.ValidatePattern(r.pattern) {
			out = append(out, r)
		}
	}
	return out
}

// Ignore applies the .gitignore files of a tree. It reads each of them once, and is not safe for
// concurrent use.
type Ignore struct {
	root string
	dirs map[string]ignoredDir
}

// ignoredDir is what holds for the files of one directory.
type ignoredDir struct {
	files []ignoreFile // of the directory and of those around it, from the root
	whole bool         // it is excluded with everything in it
}

// NewIgnore returns the rules of the tree at root.
func NewIgnore(root string) *Ignore { return &Ignore{root: root, dirs: make(map[string]ignoredDir)} }

// Ignores reports whether a file is excluded, by its slash-separated path from the root. Files in
// .git are.
func (g *Ignore) Ignores(file string) bool {
	dir := g.dir(path.Dir(file))
	return dir.whole || dir.excludes(file, false)
}

// excludes reports whether a path in the directory is excluded. The last matching rule decides.
func (d ignoredDir) excludes(p string, isDir bool) bool {
	is := false
	for _, f := range d.files {
		if last := f.last(strings.TrimPrefix(p, f.dir+"/"), isDir); last >= 0 {
			is = !f.rules[last].not
		}
	}
	return is
}

// dir returns the rules for a directory.
func (g *Ignore) dir(dir string) ignoredDir {
	if known, ok := g.dirs[dir]; ok {
		return known
	}
	var d ignoredDir
	if dir != "." {
		above := g.dir(path.Dir(dir))
		d.files = slices.Clip(above.files)
		d.whole = above.whole || path.Base(dir) == ".git" || above.excludes(dir, true)
	}
	file := filepath.Join(g.root, filepath.FromSlash(dir), ".gitignore")
	if st, err := os.Lstat(file); !d.whole && err == nil && st.Mode().IsRegular() && st.Size() <= maxIgnore {
		if data, err := os.ReadFile(file); err == nil {
			d.files = append(d.files, newIgnoreFile(dir, ignoreRules(string(data))))
		}
	}
	g.dirs[dir] = d
	return d
}
