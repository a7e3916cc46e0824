package config

import (
	"cmp"
	"slices"
)

// Kind is a place a value can come from. Kinds are ordered: a later kind wins.
type Kind int

// The kinds, weakest first.
const (
	// Default is the value built into pictx.
	Default Kind = iota
	// UserSeed is pi's settings.json in the agent directory.
	UserSeed
	// User is pictx.toml in the agent directory.
	User
	// ProjectSeed is pi's settings.json in the project's .pi directory.
	ProjectSeed
	// Project is pictx.toml in the project's .pi directory.
	Project
	// Environment is an environment variable.
	Environment
	// Flag is a command-line flag.
	Flag
)

// String names the kind as `config list --origin` prints it.
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

// seed reports whether the kind is a settings.json of pi.
func (k Kind) seed() bool { return k == UserSeed || k == ProjectSeed }

// project reports whether the kind is a file of the project.
func (k Kind) project() bool { return k == ProjectSeed || k == Project }

// file reports whether the kind is a file at all.
func (k Kind) file() bool { return k >= UserSeed && k <= Project }

// Layer is the content of one configuration file. Kind is one of UserSeed,
// User, ProjectSeed and Project. Path is for messages and origins and is never
// opened. A file that does not exist may be handed with no Data, so that its
// path is known to Resolved.Target. Layers of the project may be handed only
// when the project is trusted.
type Layer struct {
	Kind Kind
	Path string
	Data []byte
}

// Input is everything Resolve looks at.
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

// String is the origin for a person: "default", or the kind and the path.
func (o Origin) String() string {
	if o.Path == "" {
		return o.Kind.String()
	}
	return o.Kind.String() + " " + o.Path
}
