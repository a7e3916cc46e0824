package object

import "slices"

// KnownSince removes versions that were corrected since. Known.From of the others becomes
// the time when the version itself became known, rather than its end: ending a version
// writes it again.
func KnownSince(all []Version) []Version {
	first := make(map[int]Time)
	for i := range all {
		if at, ok := first[all[i].Number]; !ok || all[i].Known.From < at {
			first[all[i].Number] = all[i].Known.From
		}
	}
	out := slices.DeleteFunc(all, func(v Version) bool { return v.Known.To != Forever })
	for i := range out {
		out[i].Known.From = first[out[i].Number]
	}
	return out
}
