package object

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
)

// SortForList sorts versions for a list: files, other objects, tool calls, and last the files
// of which only the name is known; the latest of each first.
func SortForList(all []Version) {
	slices.SortStableFunc(all, func(a, b Version) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), -cmp.Compare(a.From, b.From))
	})
}

// rank is the place of a version among the kinds of a list.
func rank(v *Version) int {
	switch {
	case v.OnlyNamed():
		return 3
	case v.Doc.Kind == KindToolcall:
		return 2
	case v.Doc.Kind != KindFile:
		return 1
	}
	return 0
}

// OnlyNamed reports whether only the name of a file was ever known.
func (v *Version) OnlyNamed() bool {
	return v.Doc.Kind == KindFile && v.Size < 0 && !v.Purged && !v.Doc.Deleted
}

// FileEnding finds the file whose path ends with name, such as "src/cart.ts". The errors are
// ErrUnknown and *AmbiguousError.
func FileEnding(ctx context.Context, st Finder, name string) (Object, error) {
	all, err := st.FindObjects(ctx, Query{Terms: []Term{{Field: "type", Value: string(KindFile)}}})
	if err != nil {
		return Object{}, err
	}
	end := "/" + strings.Trim(path.Clean(name), "/")
	all = slices.DeleteFunc(all, func(v Version) bool { return !strings.HasSuffix(v.Key.Part(1), end) })
	switch {
	case name == "" || len(all) == 0:
		return Object{}, ErrUnknown
	case len(all) == 1:
		return st.ByKey(ctx, all[0].Key)
	}
	ambiguous := &AmbiguousError{Name: name}
	for _, v := range all {
		ambiguous.Candidates = append(ambiguous.Candidates, v.Key.Part(1))
	}
	return Object{}, ambiguous
}
