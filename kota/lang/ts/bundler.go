package ts

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// bundled resolves a name that nothing else resolves by the aliases that bundlers and test runners are
// configured with, in the directory of the file or above it.
func (l *lookup) bundled(spec string) lang.Target {
	at := *l
	at.opts, at.strict = &options{mode: l.opts.mode, suffixes: l.opts.suffixes}, false
	for d := l.dir; ; d = path.Dir(d) {
		if at.opts.paths = l.bundlerAliases(d); len(at.opts.paths) > 0 {
			if found := at.aliased(spec); found != "" {
				return lang.Target{Path: found, Inferred: true}
			}
		}
		if d == "." {
			return lang.Target{Status: lang.Unresolved}
		}
	}
}

// configuresBundler reports whether a file may configure a bundler or a test runner, by its name.
func configuresBundler(file string) bool {
	base := path.Base(file)
	return strings.Contains(base, ".config.") && lex.OfFile(file)&lex.Module != 0 || base == ".babelrc"
}

// bundlerAliases lists the aliases that the configurations in a directory give as text. What they compute
// of a path is taken to be the directory.
func (r *Resolver) bundlerAliases(dir string) []alias {
	list, known := r.bundlers[dir]
	if known {
		return list
	}
	for _, f := range r.bundling[dir] {
		if data, ok := r.lookUp(f); ok {
			list = append(list, aliasesIn(dir, data)...)
		}
	}
	slices.SortStableFunc(list, func(a, b alias) int { return len(b.prefix) - len(a.prefix) })
	r.bundlers[dir] = list
	return list
}

// aliasesIn lists the aliases in a configuration: "alias: { a: path.resolve(__dirname, 'b', 'c') }",
// "alias: [{ find: 'a', replacement: 'b' }]", "moduleNameMapper: { '^a/(.*)$': '<rootDir>/b/$1' }".
func aliasesIn(dir string, data []byte) (out []alias) {
	targets, find := make(map[string]string), ""
	lex.EachString(data, func(keys []string, text string) {
		n := len(keys) - 1
		switch name := keys[n]; {
		case n == 0 || !slices.Contains([]string{"alias", "entries", "moduleNameMapper"}, keys[n-1]):
		case name == "find":
			find = text
		case name == "replacement":
			targets[find] = path.Join(targets[find], text)
		default:
			targets[name] = path.Join(targets[name], text)
		}
	})
	group := regexp.MustCompile(`\(.*?\)`)
	for name, to := range targets {
		to = path.Join(dir, strings.TrimPrefix(strings.Replace(to, "$1", "*", 1), "<rootDir>"))
		name = strings.TrimPrefix(group.ReplaceAllString(name, "*"), "^")
		name, exact := strings.CutSuffix(name, "$")
		prefix, suffix, star := strings.Cut(name, "*")
		out = append(out, alias{prefix: prefix, suffix: suffix, star: star, targets: []string{to}})
		if !exact && !star {
			below := strings.TrimSuffix(name, "/") + "/"
			out = append(out, alias{prefix: below, star: true, targets: []string{path.Join(to, "*")}})
		}
	}
	return out
}
