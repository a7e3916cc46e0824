package kota

// Lengths of the lists of a short briefing.
const (
	briefImports    = 5
	briefDependents = 10
	briefTests      = 5
)

// Brief lays the answer out briefly, for a reader who did not ask for it: the most important
// entries of each list. Counts in the verdict are of all entries.
func (b Briefing) Brief() Text {
	files := b.Files
	b.Files = nil
	for _, f := range files {
		f.Imports = f.Imports[:min(briefImports, len(f.Imports))]
		b.Files = append(b.Files, f)
	}
	b.List, b.Tests = b.List[:min(briefDependents, len(b.List))], b.Tests[:min(briefTests, len(b.Tests))]
	t := b.Text(Window{}, "pictx kota context")
	t.Footer = b.footer() + ` · more: kota_deps, kota_task_context, kota_search(output="snippet")`
	return t
}
