package config

import (
	"maps"
	"slices"
	"strings"
)

// environment takes the variables that set keys: first those of the extensions
// the keys came from, then pictx's own.
func (r *Resolved) environment(environ []string) {
	vars := variables(environ)
	for _, s := range settings {
		for _, name := range []string{s.env, s.Env} {
			if text := vars[name]; name != "" && strings.TrimSpace(text) != "" {
				r.override(s, text, Origin{Environment, name})
			}
		}
	}
	r.misspelled(vars)
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

// misspelled warns of variables that are nearly a key's. Others that begin
// with PICTX_ may have a meaning elsewhere.
func (r *Resolved) misspelled(vars map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if isVariable(name) || !strings.HasPrefix(name, "PICTX_") {
			continue
		}
		if near := suggestVariable(name); near != "" {
			hint := "did you mean " + near + "?"
			r.warn(Warning{Path: printable(name), Message: "unknown variable; ignored; " + hint, Hint: hint})
		}
	}
}

// flags takes the values of command-line flags.
func (r *Resolved) flags(values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s, ok := find(key)
		if !ok {
			r.warn(r.unknownKey(Warning{Path: "flag", Key: printable(key)}, key))
			continue
		}
		r.override(s, values[key], Origin{Flag, key})
	}
}

// override takes a value that a person typed.
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
