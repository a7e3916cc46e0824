package object

import (
	"cmp"
	"slices"
)

// SortForList sorts versions for a list: files of which only the name is known come last;
// within both groups the latest come first.
func SortForList(all []Version) {
	slices.SortStableFunc(all, func(a, b Version) int {
		return cmp.Or(cmp.Compare(namedRank(&a), namedRank(&b)), -cmp.Compare(a.From, b.From))
	})
}

// namedRank is 1 if OnlyNamed reports true, else 0.
func namedRank(v *Version) int {
	if v.OnlyNamed() {
		return 1
	}
	return 0
}

// OnlyNamed reports whether only the name of a file was ever known.
func (v *Version) OnlyNamed() bool {
	return v.Doc.Kind == KindFile && v.Size < 0 && !v.Purged && !v.Doc.Deleted
}
