package config

import "strings"

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
	return [...]string{
		"default", "user settings.json", "user pictx.toml", "project settings.json",
		"project pictx.toml", "environment", "flag",
	}[k]
}

// seed reports whether the kind is a file of the original extensions.
func (k Kind) seed() bool { return k == UserSeed || k == ProjectSeed }

// project reports whether the kind is a file of the project.
func (k Kind) project() bool { return k == ProjectSeed || k == Project }

// Layer is the content of one configuration file. Kind is one of UserSeed, User,
// ProjectSeed and Project. Path is for messages and origins and is never opened. Layers of a
// project may be passed only if it is trusted.
type Layer struct {
	Kind Kind
	Path string
	Data []byte
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
	name := o.Kind.String()
	if o.Kind.seed() {
		side, _, _ := strings.Cut(name, " ")
		name = side + " " + o.Path[strings.LastIndexAny(o.Path, `/\`)+1:]
	}
	return strings.TrimSpace(name + " " + o.Path)
}

// Side returns where a `set` of the key takes effect: User or Project, whichever decides the key now,
// apart from flags and the environment. The files of other programs are theirs, so the pictx.toml
// beside them, which wins over them, is the one to write. The error is an *Error.
func (r *Resolved) Side(key string) (Kind, error) {
	s, err := lookup(key)
	if err == nil && r.decide(s, Project).origin.Kind.project() {
		return Project, nil
	}
	return User, err
}
