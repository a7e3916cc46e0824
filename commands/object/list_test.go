package object

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
)

func TestAListBeginsWithWhatWasReadLast(t *testing.T) {
	t.Parallel()
	version := func(id string, kind object.Kind, size int64, from object.Time) object.Version {
		return object.Version{Object: object.Object{ID: id}, Doc: object.Document{Kind: kind}, Size: size, From: from}
	}
	gone := version("gone", object.KindFile, -1, 3)
	gone.Doc.Deleted = true
	all := []object.Version{
		version("named", object.KindFile, -1, 9), version("old", object.KindFile, 5, 2), version("call", object.KindToolcall, -1, 4),
		version("same", object.KindFile, 5, 4), version("later", object.KindFile, 0, 5), gone, version("named too", object.KindFile, -1, 8),
	}
	sortForList(all)
	var ids []string
	for _, v := range all {
		ids = append(ids, v.ID)
	}
	must.Match(t, ids, []string{"later", "same", "gone", "old", "call", "named", "named too"}, "listed")
}
