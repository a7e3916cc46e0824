package object

import (
	"slices"
	"testing"
)

func TestAListBeginsWithWhatWasReadLast(t *testing.T) {
	t.Parallel()
	version := func(id string, kind Kind, size int64, known, valid Time) Version {
		return Version{ID: id, Doc: Document{Kind: kind}, Size: size, Known: Interval{From: known}, Valid: Interval{From: valid}}
	}
	gone := version("gone", KindFile, -1, 3, 1)
	gone.Doc.Deleted = true
	all := []Version{
		version("named", KindFile, -1, 9, 9), version("old", KindFile, 5, 2, 8), version("call", KindToolcall, -1, 4, 1),
		version("same", KindFile, 5, 4, 1), version("later", KindFile, 0, 4, 2), gone, version("named too", KindFile, -1, 8, 1),
	}
	SortForList(all)
	var ids []string
	for _, v := range all {
		ids = append(ids, v.ID)
	}
	if want := []string{"later", "call", "same", "gone", "old", "named", "named too"}; !slices.Equal(ids, want) {
		t.Errorf("listed %q, want %q", ids, want)
	}
}
