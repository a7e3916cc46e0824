package config

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// maxName is longer than the names of all keys and variables. Longer names are not
// compared with them, because the time that takes grows with the square of the length.
const maxName = 80

// suggest returns the known key that name was probably meant to be, or "".
func suggest(name string) string {
	if len(name) > maxName {
		return ""
	}
	if found := originalName(name); found != "" {
		return found
	}
	name = spelling(name)
	if best := text.Closest(name, names(func(s spec) string { return s.Name }), allowed(name)); best != "" {
		return best
	}
	return sameEnding(name)
}

// suggestVariable returns the environment variable of a key that differs from name
// in at most two letters, or ""; of several that are equally near the first in the
// alphabet.
func suggestVariable(name string) string {
	const near = 2
	if len(name) > maxName {
		return ""
	}
	return text.Closest(name, slices.Sorted(slices.Values(names(func(s spec) string { return s.Env }))), near)
}

// isVariable reports whether name is the environment variable of a key.
func isVariable(name string) bool {
	return slices.ContainsFunc(settings, func(s spec) bool { return s.Env == name })
}

// names lists what of says of each setting.
func names(of func(spec) string) []string {
	out := make([]string, len(settings))
	for i, s := range settings {
		out[i] = of(s)
	}
	return out
}

// allowed is how many letters may differ: short keys are all near each other.
func allowed(name string) int { return min(3, max(1, len(name)/4)) }

// spelling writes a name as keys are written: in small letters, with underscores.
func spelling(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}

// originalName returns the key whose name or variable in pi or one of the original
// extensions was used, or "".
func originalName(name string) string {
	for _, s := range settings {
		if name != "" && (name == s.seed || name == s.env) {
			return s.Name
		}
	}
	return ""
}

// sameEnding returns the one key that ends as name does and begins with the same
// word, as in prune.minimum for prune.seed.minimum.
func sameEnding(name string) string {
	first, last := name[:strings.Index(name+".", ".")], name[strings.LastIndex(name, ".")+1:]
	found := ""
	for _, s := range settings {
		if !strings.HasPrefix(s.Name, first+".") || !strings.HasSuffix(s.Name, "."+last) {
			continue
		}
		if found != "" {
			return ""
		}
		found = s.Name
	}
	return found
}
