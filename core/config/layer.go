package config

import (
	"cmp"
	"slices"
	"strings"
)

// Kind is a source of values. Kinds are ordered: a later one wins.
type Kind int

// The kinds, weakest first.
const (
	// Default is the value built into pictx.
	Default Kind = iota
	// UserSeed is a file that an original extension reads in the agent directory: pi's
	// settings.json, pi-kota.json or decision-memory.config.json.
	UserSeed
	// User is pictx.toml in the agent directory.
	User
	// ProjectSeed is such a file in the project's .pi directory.
	ProjectSeed
	// Project is pictx.toml in the project's .pi directory.
	Project
	// Environment is an environment variable.
	Environment
	// Flag is a command-line flag.
	Flag
)

// String names the kind as `config list` prints it.
func (k Kind) String() string {
	names := [...]string{
		"default", "user settings.json", "user pictx.toml", "project settings.json",
		"project pictx.toml", "environment", "flag",
	}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// seed reports whether the kind is a file of the original extensions.
func (k Kind) seed() bool { return k == UserSeed || k == ProjectSeed }

// project reports whether the kind is a file of the project.
func (k Kind) project() bool { return k == ProjectSeed || k == Project }

// file reports whether the kind is a file at all.
func (k Kind) file() bool { return k >= UserSeed && k <= Project }

// Layer is the content of one configuration file. Kind is one of UserSeed, User,
// ProjectSeed and Project. Path is for messages and origins and is never opened. A missing
// file may be passed without Data, so that Resolved.Target knows its path. Layers of a
// project may be passed only if it is trusted.
type Layer struct {
	Kind Kind
	Path string
	Data []byte
}

// Input is everything that Resolve uses.
type Input struct {
	// Files holds the configuration files, in any order; of two of the same
	// kind the later wins.
	Files []Layer
	// Environ holds KEY=VALUE strings, as os.Environ gives them. PICTX_ and the
	// key in upper case with _ for each dot sets that key; LCM_ENABLED is
	// pi-lcm's. A variable that is set but empty counts as not set; write [] for
	// an empty list.
	Environ []string
	// Flags maps a key to a value as a person types it.
	Flags map[string]string
}

// layers returns the file layers, weakest first.
func (in Input) layers() []Layer {
	files := slices.DeleteFunc(slices.Clone(in.Files), func(l Layer) bool { return !l.Kind.file() })
	slices.SortStableFunc(files, func(a, b Layer) int { return cmp.Compare(a.Kind, b.Kind) })
	return files
}

// Origin is where a value was set.
type Origin struct {
	Kind Kind
	// Path is the file, the environment variable's name or the flag's key;
	// empty for a default.
	Path string
}

// String is the origin for a person: "default", or the kind and the path. A kind is of
// several files where the original extensions had one each; it is then named by the file.
func (o Origin) String() string {
	if o.Path == "" {
		return o.Kind.String()
	}
	name := o.Kind.String()
	if o.Kind.seed() {
		side, _, _ := strings.Cut(name, " ")
		name = side + " " + o.Path[strings.LastIndexAny(o.Path, `/\`)+1:]
	}
	return name + " " + o.Path
}

// Target is the file in which a change of a key takes effect.
type Target struct {
	// Kind is User or Project.
	Kind Kind
	// Path is the path the file's layer was handed with, empty when it was not.
	Path string
	// Blocked lists what still overrides the file after it is written: a flag, an
	// environment variable, or a project's file that switches off what this file would
	// switch on.
	Blocked []Origin
}

// Target returns the file a `set` of the key must write: the pictx.toml of the
// side (user or project) that decides the key now, apart from flags and the
// environment; else the user's. The files of other programs are theirs, so the
// pictx.toml beside them, which wins over them, is the target. The error is an
// *UnknownKeyError.
func (r *Resolved) Target(key string) (Target, error) {
	s, err := lookup(key)
	if err != nil {
		return Target{}, err
	}
	decided := r.decideFiles(s)
	target := Target{Kind: User, Blocked: r.blocked(s, decided)}
	if decided.origin.Kind.project() {
		target.Kind = Project
	}
	target.Path = r.paths[target.Kind]
	return target, nil
}

// decideFiles returns the claim that wins without the environment and flags.
func (r *Resolved) decideFiles(s spec) claim {
	files := *r
	files.claims = map[string][]claim{s.Name: r.fileClaims(s)}
	return files.decide(s)
}

// fileClaims returns the claims of a key's default and of files.
func (r *Resolved) fileClaims(s spec) []claim {
	var claims []claim
	for _, c := range r.claims[s.Name] {
		if c.origin.Kind <= Project {
			claims = append(claims, c)
		}
	}
	return claims
}

// blocked returns what decides over the file that decides among files.
func (r *Resolved) blocked(s spec, decided claim) []Origin {
	var origins []Origin
	files := r.fileClaims(s)
	last := files[len(files)-1]
	if s.both && !decided.origin.Kind.project() && last.origin.Kind.project() && last.value == false {
		origins = append(origins, last.origin)
	}
	if all := r.claims[s.Name]; len(all) > len(files) {
		origins = append(origins, all[len(all)-1].origin)
	}
	return origins
}
