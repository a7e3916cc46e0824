package index

import (
	"os"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreStack holds the .gitignore files of the directories around the place that a
// walk is at.
type ignoreStack struct{ files []ignoreFile }

// ignoreFile is a .gitignore.
type ignoreFile struct {
	dir   string // "." for the root
	rules []ignoreRule
}

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	pattern string // of doublestar, relative to the file's directory
	not     bool   // what it matches is included after all
	dirs    bool   // it matches directories alone
}

// maxIgnore is how much of a .gitignore is read, in bytes.
const maxIgnore = 1 << 20

// enter reads the rules of a directory that a walk comes to, and forgets those of
// directories it has left.
func (g *ignoreStack) enter(dir, file string) {
	for len(g.files) > 0 && !Within(dir, g.files[len(g.files)-1].dir) {
		g.files = g.files[:len(g.files)-1]
	}
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxIgnore {
		return
	}
	data, err := os.ReadFile(file)
	if err == nil {
		g.files = append(g.files, ignoreFile{dir, ignoreRules(string(data))})
	}
}

// ignores reports whether a path is ignored: the last rule that matches counts.
func (g *ignoreStack) ignores(p string, isDir bool) bool {
	is := false
	for _, f := range g.files {
		if !Within(p, f.dir) || p == f.dir {
			continue
		}
		rel := strings.TrimPrefix(p, f.dir+"/")
		for _, r := range f.rules {
			if r.dirs && !isDir {
				continue
			}
			if ok, err := doublestar.Match(r.pattern, rel); err == nil && ok {
				is = !r.not
			}
		}
	}
	return is
}

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
		if r.pattern = line; line != "" {
			out = append(out, r)
		}
	}
	return out
}
