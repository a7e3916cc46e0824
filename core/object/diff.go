package object

import "slices"

// Differing names the fields, apart from the content, in which two versions differ.
func Differing(a, b *Document) []string {
	var out []string
	add := func(name string, differs bool) {
		if differs {
			out = append(out, name)
		}
	}
	add("deleted", a.Deleted != b.Deleted)
	if a.File != nil && b.File != nil {
		add("path", a.File.Path != b.File.Path)
		add("file_type", a.File.FileType != b.File.FileType)
	}
	if x, y := a.Toolcall, b.Toolcall; x != nil && y != nil {
		add("status", x.Status != y.Status)
		add("file_refs", !slices.Equal(x.Files, y.Files))
	}
	if a.Chat != nil && b.Chat != nil {
		add("turns", a.Chat.Turns != b.Chat.Turns)
	}
	return out
}
