package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Input is everything that Resolve uses.
type Input struct {
	// Files holds the configuration files, the weakest first.
	Files []Layer
	// Environ holds KEY=VALUE strings, as os.Environ gives them. PICTX_ and the
	// key in upper case with _ for each dot sets that key; LCM_ENABLED is
	// pi-lcm's. A variable that is set but empty counts as not set; write [] for
	// an empty list.
	Environ []string
	// Flags maps a key to a value as a person types it, which Check accepts.
	Flags map[string]string
}

// Setting is the value of a key and where it came from.
type Setting struct {
	Key string
	// Value is a bool, int, string or []string, by the key's Type.
	Value any
	// Text is the value in TOML form.
	Text string
	// Origin is the place that decides the value.
	Origin Origin
}

// Resolved is a configuration with the reasons for it.
type Resolved struct {
	// Config is the result.
	Config Config
	// Warnings holds what was wrong, weakest layer first.
	Warnings []Warning

	claims map[string][]claim // every accepted value of a key, weakest first
}

// claim is a value that a source gives to a key.
type claim struct {
	value  any
	origin Origin
}

// Resolve combines the layers. It never fails: mistakes become Warnings, and lower layers
// decide instead.
func Resolve(in Input) *Resolved {
	r := &Resolved{claims: map[string][]claim{}}
	for _, s := range every() {
		r.claim(s, s.def, Origin{})
	}
	for _, layer := range in.Files {
		r.file(layer)
	}
	r.environment(in.Environ)
	for key, text := range in.Flags {
		if s, ok := find(settings, key); ok {
			if value, err := s.parse(text); err == nil {
				r.claim(s, value, Origin{Flag, key})
			}
		}
	}
	for _, s := range every() {
		s.assign(&r.Config, r.decide(s, Flag).value)
	}
	return r
}

// claim records a value. Two original extensions controlled one system, and both had to be on.
func (r *Resolved) claim(s *Key, value any, origin Origin) {
	off := func(c claim) bool { return c.value == false && c.origin.Kind == origin.Kind }
	if s.both && origin.Kind.seed() && slices.ContainsFunc(r.claims[s.Name], off) {
		return
	}
	r.claims[s.Name] = append(r.claims[s.Name], claim{value, origin})
}

// last returns the latest claim of sources up to a kind.
func (r *Resolved) last(s *Key, upTo Kind) claim {
	for _, c := range slices.Backward(r.claims[s.Name]) {
		if c.origin.Kind <= upTo {
			return c
		}
	}
	return claim{value: s.def}
}

// decide returns the claim that wins among sources up to a kind. A project cannot switch on what
// the user has switched off.
func (r *Resolved) decide(s *Key, upTo Kind) claim {
	won := r.last(s, upTo)
	if user := r.last(s, User); s.both && won.origin.Kind.project() && user.value == false {
		return user
	}
	return won
}

// Values returns every key, in the order of Keys.
func (r *Resolved) Values() []Setting {
	values := make([]Setting, len(settings))
	for i := range settings {
		values[i] = r.setting(settings[i])
	}
	return values
}

// Get returns one key, also one of Inherited. The error is an *Error.
func (r *Resolved) Get(key string) (Setting, error) {
	if s, ok := find(every(), key); ok {
		return r.setting(s), nil
	}
	_, err := lookup(key)
	return Setting{}, err
}

// setting describes the claim that wins.
func (r *Resolved) setting(s *Key) Setting {
	won := r.decide(s, Flag)
	if list, ok := won.value.([]string); ok {
		won.value = copyList(list)
	}
	return Setting{Key: s.Name, Value: won.value, Text: format(won.value), Origin: won.origin}
}

// environment reads the variables that set keys: first those of the original extensions,
// then pictx's own. It warns of variables of former settings, and of those that resemble a key's.
// Others that begin with PICTX_ may have a meaning elsewhere.
func (r *Resolved) environment(environ []string) {
	vars := make(map[string]string, len(environ))
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			vars[name] = value
		}
	}
	take := func(s *Key, name string) {
		text := vars[name]
		value, err := s.parse(text)
		switch {
		case strings.TrimSpace(text) == "":
		case err == nil:
			r.claim(s, value, Origin{Environment, name})
		default:
			r.Warnings = append(r.Warnings, s.wrong(Warning{Path: name, Key: s.Name}, text))
		}
	}
	for _, n := range namesIn("") {
		s, _ := find(every(), n.key)
		take(s, n.name)
	}
	var own []string
	for _, s := range settings {
		name := variable(s.Name)
		take(s, name)
		own = append(own, name)
	}
	slices.Sort(own)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if strings.HasPrefix(name, ownVariables) && !slices.Contains(own, name) {
			r.misspelled(name, own)
		}
	}
}

// misspelled warns of a variable that is not a setting's, if it was or is almost one.
func (r *Resolved) misspelled(name string, own []string) {
	const near, longest = 2, 80 // comparing takes time quadratic in the length
	w := Warning{Path: printable(name), Hint: "unset " + text.ShellWord(printable(name))}
	if now := former(name, variable); now != "" {
		w.Message = "no longer a setting; ignored: " + now
	} else if close := text.Closest(name, own, near); close != "" && len(name) <= longest {
		w.Message = "unknown variable; ignored; did you mean " + close + "?"
	} else {
		return
	}
	r.Warnings = append(r.Warnings, w)
}
