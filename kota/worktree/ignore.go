package worktree

import (
	"path"
	"path/filepath"
	"strings"
)

// Ignore tells which files of a tree its .gitignore files exclude. It reads each of
// them once, and is for one goroutine.
type Ignore struct {
	root string
	dirs map[string]dirRules
}

// dirRules is what is known about one directory.
type dirRules struct {
	rules ignoreStack
	whole bool // it is excluded with all that is in it
}

// NewIgnore returns the rules of the tree at root.
func NewIgnore(root string) *Ignore { return &Ignore{root: root, dirs: make(map[string]dirRules)} }

// Ignores reports whether a file is excluded, by its slash-separated path from the root.
// What git keeps for itself is.
func (g *Ignore) Ignores(file string) bool {
	dir := g.dir(path.Dir(file))
	return dir.whole || dir.rules.ignores(file, false)
}

// dir returns the rules that hold in a directory.
func (g *Ignore) dir(dir string) dirRules {
	if known, ok := g.dirs[dir]; ok {
		return known
	}
	var d dirRules
	if dir != "." {
		above := g.dir(path.Dir(dir))
		d.rules.files = append(d.rules.files, above.rules.files...)
		d.whole = above.whole || path.Base(dir) == ".git" || above.rules.ignores(dir, true)
	}
	if !d.whole {
		d.rules.enter(dir, filepath.Join(g.root, filepath.FromSlash(strings.TrimPrefix(dir+"/.gitignore", "./"))))
	}
	g.dirs[dir] = d
	return d
}
