package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Setting is the value of a key and where it came from.
type Setting struct {
	Key string
	// Value is a bool, int, string or []string, by the key's Type.
	Value any
	// Text is the value in TOML form.
	Text string
	// Origin is the place that decides the value.
	Origin Origin
	// Default is set when nothing set the key.
	Default bool
}

// Resolved is a configuration with the reasons for it.
type Resolved struct {
	// Config is the result.
	Config Config
	// Warnings holds what was wrong, weakest layer first.
	Warnings []Warning

	claims map[string][]claim // every accepted value of a key, weakest first
	paths  map[Kind]string
	every  []spec // the settings, and those of the original extensions
}

// claim is a value that a source gives to a key.
type claim struct {
	value  any
	origin Origin
}

// Resolve combines the layers. It never fails: mistakes become Warnings, and lower layers
// decide instead.
func Resolve(in Input) *Resolved {
	r := &Resolved{claims: map[string][]claim{}, paths: map[Kind]string{}, every: slices.Concat(settings, inherited)}
	for _, s := range r.every {
		r.claim(s, s.def, Origin{})
	}
	for _, layer := range in.layers() {
		r.paths[layer.Kind] = layer.Path
		if layer.Kind.seed() {
			r.seedFile(layer)
		} else {
			r.tomlFile(layer)
		}
	}
	r.environment(in.Environ)
	r.flags(in.Flags)
	for _, s := range r.every {
		s.assign(&r.Config, r.decide(s).value)
	}
	return r
}

// claim records a value.
func (r *Resolved) claim(s spec, value any, origin Origin) {
	r.claims[s.Name] = append(r.claims[s.Name], claim{value, origin})
}

// warn records a warning.
func (r *Resolved) warn(w Warning) { r.Warnings = append(r.Warnings, w) }

// decide returns the claim that wins.
func (r *Resolved) decide(s spec) claim {
	claims := r.claims[s.Name]
	last := claims[len(claims)-1]
	if !s.both || !last.origin.Kind.project() {
		return last
	}
	// A project cannot switch on what the user has switched off.
	if user := r.userSide(s); user.value == false {
		return user
	}
	return last
}

// userSide returns the claim that wins without the project, the environment
// and flags.
func (r *Resolved) userSide(s spec) claim {
	claims := r.claims[s.Name]
	i := slices.IndexFunc(claims, func(c claim) bool { return c.origin.Kind > User })
	if i < 0 {
		i = len(claims)
	}
	return claims[i-1]
}

// Values returns every key, in the order of Keys.
func (r *Resolved) Values() []Setting {
	values := make([]Setting, len(settings))
	for i, s := range settings {
		values[i] = r.setting(s)
	}
	return values
}

// Get returns one key, also one of Inherited. The error is an *UnknownKeyError.
func (r *Resolved) Get(key string) (Setting, error) {
	if s, ok := findIn(inherited, key); ok {
		return r.setting(s), nil
	}
	s, err := lookup(key)
	if err != nil {
		return Setting{}, err
	}
	return r.setting(s), nil
}

// setting describes the claim that wins.
func (r *Resolved) setting(s spec) Setting {
	won := r.decide(s)
	value := won.value
	if list, ok := value.([]string); ok {
		value = copyList(list)
	}
	return Setting{
		Key: s.Name, Value: value, Text: format(value),
		Origin: won.origin, Default: won.origin.Kind == Default,
	}
}

// environment reads the variables that set keys: first those of the original extensions,
// then pictx's own.
func (r *Resolved) environment(environ []string) {
	vars := variables(environ)
	for _, n := range seedNames {
		if n.file == "" {
			s, _ := findIn(r.every, n.key)
			r.variable(s, n.name, vars)
		}
	}
	own := func(name string) bool { return strings.HasPrefix(name, ownVariables) }
	if slices.ContainsFunc(slices.Collect(maps.Keys(vars)), own) { // naming them all takes longer
		for _, s := range settings {
			r.variable(s, s.variable(), vars)
		}
	}
	r.misspelled(vars)
}

// variable takes the value of a variable that is not blank.
func (r *Resolved) variable(s spec, name string, vars map[string]string) {
	if text := vars[name]; strings.TrimSpace(text) != "" {
		r.override(s, text, Origin{Environment, name})
	}
}

// variables makes a map of KEY=VALUE strings.
func variables(environ []string) map[string]string {
	vars := make(map[string]string, len(environ))
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			vars[name] = value
		}
	}
	return vars
}

// misspelled warns of variables of former settings, and of those that resemble a key's. Others
// that begin with PICTX_ may have a meaning elsewhere.
func (r *Resolved) misspelled(vars map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if !strings.HasPrefix(name, ownVariables) || isVariable(name) {
			continue
		}
		w := Warning{Path: printable(name), Hint: "unset " + text.ShellWord(printable(name))}
		if now := formerVariable(name); now != "" {
			w.Message = "no longer a setting; ignored: " + now
		} else if near := suggestVariable(name); near != "" {
			w.Message = "unknown variable; ignored; did you mean " + near + "?"
		} else {
			continue
		}
		r.warn(w)
	}
}

// flags takes the values of command-line flags.
func (r *Resolved) flags(values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s, ok := find(key)
		if !ok {
			r.warn(unknownName(Warning{Path: "flag", Key: printable(key)}, key))
			continue
		}
		r.override(s, values[key], Origin{Flag, key})
	}
}

// override applies a value that a person typed.
func (r *Resolved) override(s spec, text string, origin Origin) {
	value, err := s.parse(text)
	if err != nil {
		path := origin.Path
		if origin.Kind == Flag {
			path = "flag"
		}
		r.warn(s.wrong(Warning{Path: path, Key: s.Name}, text))
		return
	}
	r.claim(s, value, origin)
}
