package object

import "slices"

// KnownSince leaves out what was corrected since, and says of the rest when each version became
// known, not when its end did: a version is written again once the next one ends it.
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
