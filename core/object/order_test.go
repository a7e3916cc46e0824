package object

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestAListBeginsWithWhatWasReadLast(t *testing.T) {
	t.Parallel()
	version := func(id string, kind Kind, size int64, from Time) Version {
		return Version{ID: id, Doc: Document{Kind: kind}, Size: size, From: from}
	}
	gone := version("gone", KindFile, -1, 3)
	gone.Doc.Deleted = true
	all := []Version{
		version("named", KindFile, -1, 9), version("old", KindFile, 5, 2), version("call", KindToolcall, -1, 4),
		version("same", KindFile, 5, 4), version("later", KindFile, 0, 5), gone, version("named too", KindFile, -1, 8),
	}
	SortForList(all)
	var ids []string
	for _, v := range all {
		ids = append(ids, v.ID)
	}
	must.Match(t, ids, []string{"later", "same", "gone", "old", "call", "named", "named too"}, "listed")
}
