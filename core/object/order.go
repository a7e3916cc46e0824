package object

import (
	"cmp"
	"slices"
)

// SortForList puts versions into the order of a list: what has a content, or had one, and
// all that is no file comes before files that were only ever named; of each the latest
// known first, and of what became known at once the latest true.
func SortForList(all []Version) {
	slices.SortStableFunc(all, func(a, b Version) int {
		return cmp.Or(
			cmp.Compare(namedRank(&a), namedRank(&b)),
			-cmp.Compare(a.Known.From, b.Known.From),
			-cmp.Compare(a.Valid.From, b.Valid.From),
		)
	})
}

// namedRank is 1 for what OnlyNamed reports, else 0.
func namedRank(v *Version) int {
	if v.OnlyNamed() {
		return 1
	}
	return 0
}

// OnlyNamed reports whether a version is of a file of which nothing but its name was ever
// known.
func (v *Version) OnlyNamed() bool {
	return v.Doc.Kind == KindFile && v.Size < 0 && !v.Evicted && !v.Doc.Deleted
}
