package ts

import (
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/coctostan/pictx/core/glob"
)

// pkg is a package.json.
type pkg struct {
	dir      string // the directory it is in
	json     value
	name     string
	exports  value
	imports  value
	module   bool // "type": "module"
	declared bool // it is a package of a workspace
}

// packageAt returns the package.json in a directory, nil when there is none.
func (r *Resolver) packageAt(dir string) *pkg {
	if p, known := r.packages[dir]; known {
		return p
	}
	v, ok := r.json(path.Join(dir, "package.json"))
	var p *pkg
	if ok {
		p = &pkg{dir: dir, json: v, name: v.str("name"), exports: v.get("exports"), imports: v.get("imports"), module: v.str("type") == "module"}
	}
	r.packages[dir] = p
	return p
}

// scope returns the package that a directory belongs to, nil when there is none.
func (r *Resolver) scope(dir string) *pkg {
	if p, known := r.scopes[dir]; known {
		return p
	}
	var p *pkg
	if r.files[path.Join(dir, "package.json")] {
		p = r.packageAt(dir)
	}
	if p == nil && dir != "." {
		p = r.scope(path.Dir(dir))
	}
	r.scopes[dir] = p
	return p
}

// splitPackage splits a specifier into the name of a package and the subpath within it.
func splitPackage(spec string) (name, rest string) {
	name, rest, _ = strings.Cut(spec, "/")
	if strings.HasPrefix(spec, "@") {
		second, more, _ := strings.Cut(rest, "/")
		return name + "/" + second, more
	}
	return name, rest
}

// packageNamed returns the package of the tree that a name refers to in dir, nil when there is
// none.
func (r *Resolver) packageNamed(name, dir string) *pkg {
	all := r.named[name]
	if len(all) <= 1 {
		if len(all) == 1 {
			return all[0]
		}
		return nil
	}
	if own := r.scope(dir); own != nil {
		if at, ok := linkedTo(own.dependency(name)); ok {
			for _, p := range all {
				if p.dir == path.Join(own.dir, at) {
					return p
				}
			}
		}
	}
	// Take the nearest: copied projects have packages of the same name.
	best, shared := all[0], -1
	for _, p := range all {
		n := sharedDirs(p.dir, dir)
		if p.declared == best.declared && n > shared || p.declared && !best.declared {
			best, shared = p, n
		}
	}
	return best
}

// dependency returns the version of another package that a package requires, "" when it does not
// depend on it.
func (p *pkg) dependency(name string) string {
	for _, field := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
		if v := p.json.get(field).str(name); v != "" {
			return v
		}
	}
	return ""
}

// linkedTo returns the directory in a version such as "file:../a".
func linkedTo(version string) (string, bool) {
	for _, protocol := range []string{"file:", "link:", "portal:"} {
		if dir, ok := strings.CutPrefix(version, protocol); ok {
			return dir, true
		}
	}
	return "", false
}

// sharedDirs returns the number of leading directories that two paths share.
func sharedDirs(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// findPackages indexes the packages of the tree by name: those of a workspace first, then those
// nearest to the root.
func (r *Resolver) findPackages() {
	var dirs []string
	for f := range r.files {
		if path.Base(f) == "package.json" {
			dirs = append(dirs, path.Dir(f))
		}
	}
	slices.SortFunc(dirs, func(a, b string) int {
		if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	patterns := r.workspacePatterns(dirs)
	for _, d := range dirs {
		if r.ctx.Err() != nil {
			return
		}
		p := r.packageAt(d)
		if p == nil || p.name == "" {
			continue
		}
		p.declared = declared(patterns, d)
		r.named[p.name] = append(r.named[p.name], p)
	}
	for _, all := range r.named {
		slices.SortStableFunc(all, func(a, b *pkg) int {
			switch {
			case a.declared == b.declared:
				return 0
			case a.declared:
				return -1
			}
			return 1
		})
	}
}

// maxPatterns is the maximum number of workspace patterns in a tree.
const maxPatterns = 1000

// member is a pattern of a workspace: it includes directories or, if not is set, excludes them.
type member struct {
	glob.Pattern
	not bool
}

// workspacePatterns reads the patterns of all workspaces.
func (r *Resolver) workspacePatterns(dirs []string) []member {
	var out []member
	for _, d := range dirs {
		if r.ctx.Err() != nil {
			return nil
		}
		p := r.packageAt(d)
		if p == nil {
			continue
		}
		for _, text := range r.workspaces(p) {
			rest, not := strings.CutPrefix(text, "!")
			pattern, err := glob.Compile(rest)
			switch {
			case err != nil:
				r.addNote(path.Join(d, "package.json") + ": a pattern of its workspaces cannot be used: " + err.Error())
			case len(out) == maxPatterns:
				r.addNote(path.Join(d, "package.json") + ": its workspaces have too many patterns")
				return out
			default:
				out = append(out, member{pattern, not})
			}
		}
	}
	return out
}

// workspaces lists the patterns of the workspace whose root is a package.
func (r *Resolver) workspaces(p *pkg) []string {
	w := p.json.get("workspaces")
	list := append(w.strings(), w.get("packages").strings()...)
	if data, ok := r.read(path.Join(p.dir, "pnpm-workspace.yaml")); ok {
		list = append(list, yamlList(string(data), "packages")...)
	}
	for i, pattern := range list {
		not := ""
		if rest, ok := strings.CutPrefix(pattern, "!"); ok {
			not, pattern = "!", rest
		}
		list[i] = not + path.Join(p.dir, strings.TrimSuffix(pattern, "/"))
	}
	return list
}

// declared reports whether the patterns include a directory. The last pattern that matches
// decides.
func declared(patterns []member, dir string) bool {
	for _, p := range slices.Backward(patterns) {
		if p.Match(dir) {
			return !p.not
		}
	}
	return false
}

// yamlList reads a string or a list of them below a key at the left margin. pnpm-workspace.yaml and
// .mocharc.yml need no more, and so no YAML library.
func yamlList(s, key string) []string {
	var out []string
	in := false
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case strings.HasPrefix(line, key+":"):
			in = true
			elements := []string{strings.TrimSpace(line[len(key)+1:])}
			if strings.HasPrefix(elements[0], "[") {
				elements = strings.Split(strings.Trim(elements[0], "[]"), ",")
			}
			for _, e := range elements {
				if e = yamlScalar(e); e != "" {
					out = append(out, e)
				}
			}
		case in && strings.HasPrefix(trimmed, "-"):
			out = append(out, yamlScalar(trimmed[1:]))
		case line[0] != ' ' && line[0] != '\t':
			in = false
		}
	}
	return out
}

func yamlScalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return s[1 : end+1]
		}
	}
	s, _, _ = strings.Cut(s, " #")
	return strings.TrimSpace(s)
}

// targets lists the paths for a subpath of "exports" or a name of "imports", in the order in
// which they are tried.
func (p *pkg) targets(v value, sub string, conditions []string) []string {
	items := v.items()
	subpaths := len(items) > 0 && (strings.HasPrefix(items[0].name, ".") || strings.HasPrefix(items[0].name, "#"))
	if !subpaths {
		if sub != "." {
			return nil
		}
		return conditional(v, "", conditions)
	}
	if exact := v.get(sub); exact.v != nil && !strings.Contains(sub, "*") {
		return conditional(exact, "", conditions)
	}
	best, star := value{}, ""
	longest := -1
	for _, m := range items {
		prefix, suffix, ok := strings.Cut(m.name, "*")
		if !ok && strings.HasSuffix(m.name, "/") {
			prefix, suffix, ok = m.name, "", true
		}
		if ok && len(prefix) > longest && len(sub) >= len(prefix)+len(suffix) && strings.HasPrefix(sub, prefix) && strings.HasSuffix(sub, suffix) {
			best, longest = m.v, len(prefix)
			star = sub[len(prefix) : len(sub)-len(suffix)]
		}
	}
	if longest < 0 {
		return nil
	}
	return conditional(best, star, conditions)
}

// conditional lists the paths of a target in the order in which they are tried. A null, which
// forbids the subpath, ends the list.
func conditional(v value, star string, conditions []string) []string {
	if s, ok := v.text(); ok {
		if strings.HasSuffix(s, "/") && !strings.Contains(s, "*") {
			s += star
		}
		return []string{strings.ReplaceAll(s, "*", star)}
	}
	var out []string
	for _, e := range v.elements() {
		out = append(out, conditional(e, star, conditions)...)
	}
	for _, m := range v.items() {
		if m.name != "default" && !slices.Contains(conditions, m.name) && !strings.HasPrefix(m.name, "types@") {
			continue
		}
		if l, ok := m.v.v.(hujson.Literal); ok && l.Kind() == 'n' {
			break
		}
		out = append(out, conditional(m.v, star, conditions)...)
	}
	return out
}
