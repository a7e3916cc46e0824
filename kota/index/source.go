package index

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
)

// source returns the text of a file, empty when it cannot be read.
func (v *view) source(i int) lang.Text {
	data, err := readInto(v.files.at(v.name(i)), nil)
	if err != nil {
		return lang.Text{}
	}
	return lang.NewText(lang.Decode(data))
}

// sourcesOf returns the tree for a language that reads its source code.
func sourcesOf(v *view) lang.Tree {
	read := func(p string) ([]byte, bool) {
		data, err := readInto(v.files.at(p), nil)
		return lang.Decode(data), err == nil
	}
	return lang.Tree{Files: slices.Concat(v.paths(), v.tree.others), Read: read, Facts: v.tree.said}
}

// at returns where a file of the tree is.
func (f Files) at(name string) string {
	return f.Root + string(filepath.Separator) + filepath.FromSlash(name)
}

// Limits on the code that an answer quotes.
const (
	maxQuoted = 400 // number of files
	quotedOf  = 8   // lines of a file
)

// quote adds the code of their first lines to uses.
func (v *view) quote(ctx context.Context, list []kota.Usage) {
	list = list[:min(len(list), maxQuoted)]
	buffers := make([][]byte, workers())
	share(len(list), func(w, k int) {
		u := &list[k]
		lines := u.Lines
		if len(lines) == 0 && u.Import > 0 {
			lines = []int{u.Import}
		}
		data, err := readInto(v.files.at(u.File), buffers[w])
		buffers[w] = data
		if err != nil || ctx.Err() != nil {
			return
		}
		text := lang.NewText(lang.Decode(data))
		for _, l := range lines[:min(len(lines), quotedOf)] {
			u.Code = append(u.Code, kota.CodeLine{Line: l, Text: fence.OneLine(strings.TrimSpace(text.Line(l)), maxText)})
		}
	})
}

// onlyImports returns a note that names the files in which uses may be missing, because only
// their imports were read.
func onlyImports(files map[string]bool) []string {
	if len(files) == 0 {
		return nil
	}
	names, more := slices.Sorted(maps.Keys(files)), ""
	if n := len(names) - 3; n > 0 {
		more, names = " and others", names[:3]
	}
	return []string{"uses within " + strings.Join(names, ", ") + more + " are not known, which is too large or generated"}
}
