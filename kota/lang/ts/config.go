package ts

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// mode is how modules are resolved, as in TypeScript's moduleResolution.
type mode uint8

const (
	bundler  mode = iota // exports of packages, extensions optional
	node10               // no exports; TypeScript before JavaScript
	nodeNext             // exports; extensions required in ECMAScript modules
)

// options are the compiler options that matter for resolution.
type options struct {
	mode       mode
	base       string // baseUrl, as a path relative to the root
	hasBase    bool
	paths      []alias
	rootDirs   []string
	conditions []string
	suffixes   []string
	references []string // paths of project references
}

// alias is an entry of "paths", such as "@/*": ["src/*"].
type alias struct {
	prefix, suffix string
	star           bool
	targets        []string // paths relative to the root, with * for what the star matched
}

// settings are the options as written in configuration files. The Dir fields are the directories
// to which values are relative.
type settings struct {
	module, resolution, target string
	hasBase                    bool
	baseURL, baseDir           string
	paths                      value
	pathsDir                   string
	rootDirs                   []string
	rootDirsDir                string
	conditions                 []string
	suffixes                   []string
}

// Limits on what a configuration extends.
const (
	maxExtends = 32   // files in one chain
	maxBases   = 1000 // files in all, repetitions included
)

// configFile is one configuration file: its own options, and the files that it extends.
type configFile struct {
	own   settings
	bases []string
}

// config returns the options of a configuration file, including those it extends.
func (r *Resolver) config(file string) *options {
	if o, known := r.configs[file]; known {
		return o
	}
	var s settings
	left := maxBases
	r.extend(&s, file, nil, &left)
	o := s.options(path.Dir(file))
	if v, ok := r.json(file); ok {
		for _, ref := range v.get("references").elements() {
			if p := ref.str("path"); p != "" {
				if p = path.Join(path.Dir(file), p); !strings.HasSuffix(p, ".json") { // a file or its directory
					p = path.Join(p, "tsconfig.json")
				}
				o.references = append(o.references, p)
			}
		}
	}
	r.configs[file] = o
	return o
}

// extend overlays s with the options of a file, after those of the files that it extends. left is
// how many more files may be read: files that each extend the next one twice would double the
// work at every step.
func (r *Resolver) extend(s *settings, file string, chain []string, left *int) {
	c := r.configFileAt(file)
	*left--
	switch cycle := slices.Contains(chain, file); {
	case c == nil || cycle || len(chain) >= maxExtends || *left < 0:
		r.note(file, c != nil, cycle)
		return
	}
	chain = append(chain, file)
	for _, b := range c.bases {
		if r.extend(s, b, chain, left); *left < 0 {
			return
		}
	}
	s.overlay(&c.own)
}

// configFileAt reads one configuration file, nil when it cannot be read.
func (r *Resolver) configFileAt(file string) *configFile {
	if c, known := r.extending[file]; known {
		return c
	}
	var c *configFile
	if v, ok := r.json(file); ok {
		c = &configFile{}
		c.own.apply(v.get("compilerOptions"), path.Dir(file))
		bases := v.get("extends").strings()
		if one, ok := v.get("extends").text(); ok {
			bases = []string{one}
		}
		for _, b := range bases[:min(len(bases), maxExtends)] {
			if found := r.extended(b, path.Dir(file)); found != "" {
				c.bases = append(c.bases, found)
			}
		}
	}
	r.extending[file] = c
	return c
}

// note records why a configuration cannot be used.
func (r *Resolver) note(file string, readable, cycle bool) {
	switch {
	case cycle:
		r.addNote(file + ": extends itself")
	case readable:
		r.addNote(file + ": extends too many files")
	default:
		r.addNote(file + ": cannot be read")
	}
}

// addNote records a problem with a configuration, once.
func (r *Resolver) addNote(text string) {
	if !slices.Contains(r.notes, text) && len(r.notes) < maxNotes {
		r.notes = append(r.notes, text)
	}
}

// maxNotes is the maximum number of notes.
const maxNotes = 200

// apply sets the options that a file's compilerOptions have.
func (s *settings) apply(v value, dir string) {
	set := func(to *string, name string) {
		if t := strings.ToLower(v.str(name)); t != "" {
			*to = t
		}
	}
	set(&s.module, "module")
	set(&s.resolution, "moduleResolution")
	set(&s.target, "target")
	if b, ok := v.get("baseUrl").text(); ok {
		s.baseURL, s.baseDir, s.hasBase = b, dir, true
	}
	if p := v.get("paths"); p.v != nil {
		s.paths, s.pathsDir = p, dir
	}
	if d := v.get("rootDirs"); d.v != nil {
		s.rootDirs, s.rootDirsDir = d.strings(), dir
	}
	if c := v.get("customConditions"); c.v != nil {
		s.conditions = orEmpty(c.strings())
	}
	if c := v.get("moduleSuffixes"); c.v != nil {
		s.suffixes = orEmpty(c.strings())
	}
}

// orEmpty returns list, or an empty list in place of nil: nil stands for an option that is not
// set.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// overlay overrides s with the options that are set in o.
func (s *settings) overlay(o *settings) {
	s.module, s.resolution, s.target = cmp.Or(o.module, s.module), cmp.Or(o.resolution, s.resolution), cmp.Or(o.target, s.target)
	if o.hasBase {
		s.baseURL, s.baseDir, s.hasBase = o.baseURL, o.baseDir, true
	}
	if o.paths.v != nil {
		s.paths, s.pathsDir = o.paths, o.pathsDir
	}
	if o.rootDirsDir != "" {
		s.rootDirs, s.rootDirsDir = o.rootDirs, o.rootDirsDir
	}
	if o.conditions != nil {
		s.conditions = o.conditions
	}
	if o.suffixes != nil {
		s.suffixes = o.suffixes
	}
}

// options derives the options for the configuration in dir.
func (s *settings) options(dir string) *options {
	o := &options{mode: s.mode(), conditions: s.conditions, suffixes: s.suffixes}
	if len(o.suffixes) == 0 {
		o.suffixes = []string{""}
	}
	if s.hasBase {
		o.base, o.hasBase = place(s.baseURL, s.baseDir, dir), true
	}
	for _, d := range s.rootDirs {
		o.rootDirs = append(o.rootDirs, place(d, s.rootDirsDir, dir))
	}
	from := s.pathsDir
	if o.hasBase {
		from = o.base
	}
	for _, m := range s.paths.items() {
		a := alias{prefix: m.name}
		a.prefix, a.suffix, a.star = strings.Cut(m.name, "*")
		for _, t := range m.v.strings() {
			a.targets = append(a.targets, place(t, from, dir))
		}
		o.paths = append(o.paths, a)
	}
	return o
}

// place makes a path of a configuration relative to the root. from is the directory it is
// relative to, dir that of the configuration in force, which "${configDir}" stands for.
func place(p, from, dir string) string {
	if rest, ok := strings.CutPrefix(p, "${configDir}"); ok {
		return path.Join(dir, "./"+rest)
	}
	return path.Join(from, p)
}

// mode returns the resolution mode that the options imply.
func (s *settings) mode() mode {
	switch s.resolution {
	case "node10", "node":
		return node10
	case "node16", "nodenext":
		return nodeNext
	case "bundler", "classic":
		return bundler
	}
	switch s.module {
	case "node16", "node18", "node20", "nodenext":
		return nodeNext
	case "commonjs":
		return node10
	case "":
		if s.target == "" || s.target == "es3" || s.target == "es5" {
			return node10
		}
	}
	return bundler
}

// extended returns the file that the value name of "extends" refers to, "" when there is none.
func (r *Resolver) extended(name, dir string) string {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") {
		return r.configFile(path.Join(dir, name))
	}
	pkg, rest := splitPackage(name)
	if p := r.packageNamed(pkg, dir); p != nil {
		if found := r.extendedIn(p, rest); found != "" {
			return found
		}
	}
	for d := dir; ; d = path.Dir(d) {
		at := path.Join(d, "node_modules", pkg)
		if p := r.packageAt(at); p != nil {
			if found := r.extendedIn(p, rest); found != "" {
				return found
			}
		}
		if d == "." || strings.HasPrefix(d, "..") {
			return ""
		}
	}
}

// extendedIn finds a configuration in a package.
func (r *Resolver) extendedIn(p *pkg, rest string) string {
	if p.exports.v != nil {
		sub := "."
		if rest != "" {
			sub = "./" + rest
		}
		conditions := []string{"node", "require", "import", "types"}
		for _, t := range p.targets(p.exports, sub, conditions) {
			if found := r.configFile(path.Join(p.dir, t)); found != "" {
				return found
			}
		}
	}
	if rest != "" {
		return r.configFile(path.Join(p.dir, rest))
	}
	if t := p.json.str("tsconfig"); t != "" {
		return r.configFile(path.Join(p.dir, t))
	}
	return r.configFile(path.Join(p.dir, "tsconfig.json"))
}

// configFile returns the configuration file at p: with .json added, or tsconfig.json in the
// directory; "" when there is none.
func (r *Resolver) configFile(p string) string {
	for _, try := range []string{p, p + ".json", path.Join(p, "tsconfig.json")} {
		if strings.HasSuffix(try, ".json") && r.readable(try) {
			return try
		}
	}
	return ""
}

// optionsFor returns the options of the nearest configuration around a directory.
func (r *Resolver) optionsFor(dir string) *options {
	if o, known := r.nearest[dir]; known {
		return o
	}
	o := r.defaults
	found := false
	for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
		if f := path.Join(dir, name); !found && r.files[f] {
			o, found = r.config(f), true
		}
	}
	if !found && dir != "." {
		o = r.optionsFor(path.Dir(dir))
	}
	r.nearest[dir] = o
	return o
}
