package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
)

// How much a page of imports holds, and how many rows it begins with.
const (
	pageFiles   = 12_000
	pageImports = 250_000
	firstRows   = 28
)

// CodePage is a page on which the imports of a project are looked at.
type CodePage struct {
	Graph kota.Graph // all of it
	Focus string     // the file to begin with, "" for the whole project
	Depth int        // how many imports away from it, 1 to 5
}

// Bytes returns the page.
func (p *CodePage) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := writePage(&b, "Imports of "+fence.OneLine(p.Graph.Project, 0), "code.html", "code.js", newCodeView(p))
	return b.Bytes(), err
}

// codeView is what the template of a page of imports reads.
type codeView struct {
	Name, Data   string
	Files, Depth int
	Imports      int
	Folded       []string // what does not stand on the page for itself
	Focus        int      // the number of a file, -1 for none
	Rows         []codeRow
	Arcs         []codeArc
}

// Height is that of the drawing, in tenths of a row.
func (v *codeView) Height() int { return 10 * len(v.Rows) }

// codeRow is a file or folder of the picture that a page begins with.
type codeRow struct {
	Name             string
	Depth, Files     int
	IsFolder, IsOpen bool
}

// codeArc are the imports of one row by another, as a curve at the right of both.
type codeArc struct {
	Path   string
	Width  string
	IsBack bool // it leads up
}

func newCodeView(p *CodePage) *codeView {
	names, folded := foldFolders(p.Graph.Nodes, pageFiles)
	root := newCodeTree(names)
	v := &codeView{Name: fence.OneLine(p.Graph.Project, 0), Files: len(p.Graph.Nodes), Depth: min(max(p.Depth, 1), 5), Imports: len(p.Graph.Edges), Focus: -1}
	if n := len(folded); n > 0 {
		v.Folded = append(v.Folded, fmt.Sprintf("The page has room for %s files. So the files of %s stand together in one row each.", text.Thousands(pageFiles), text.Count(n, "folder")))
	}
	if left := len(p.Graph.Edges) - pageImports; left > 0 {
		p.Graph.Edges = p.Graph.Edges[:pageImports]
		v.Folded = append(v.Folded, fmt.Sprintf("The page has room for %s imports; %s are left out.", text.Thousands(pageImports), text.Thousands(left)))
	}
	at := make(map[string]*codeNode, len(p.Graph.Nodes))
	root.leaves(func(n *codeNode) {
		for _, file := range names[n.path] {
			at[file] = n
		}
	})
	root.connect(p.Graph.Edges, at)
	root.arrange()
	number := 0
	root.leaves(func(n *codeNode) { n.number, number = number, number+1 })
	root.openMost(firstRows)
	var data strings.Builder
	root.write(&data)
	v.Data = data.String()
	if n := at[p.Focus]; n != nil {
		v.Focus = n.number
	}
	v.draw(root)
	return v
}

// draw lists the rows and the curves of the folders that are open.
func (v *codeView) draw(root *codeNode) {
	row := make(map[*codeNode]int) // that of a leaf, or of the folder it is hidden in
	var list func(n *codeNode, depth int)
	list = func(n *codeNode, depth int) {
		for _, c := range n.children {
			c.leaves(func(leaf *codeNode) { row[leaf] = len(v.Rows) })
			v.Rows = append(v.Rows, codeRow{c.name, depth, c.files, c.isFolder(), c.isOpen})
			if c.isOpen {
				list(c, depth+1)
			}
		}
	}
	list(root, 0)
	counts := make(map[[2]int]int)
	root.leaves(func(n *codeNode) {
		for _, e := range n.imports {
			if a, b := row[n], row[e.to]; a != b {
				counts[[2]int{a, b}]++
			}
		}
	})
	pairs := make([][2]int, 0, len(counts))
	for pair := range counts {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, pair := range pairs {
		v.Arcs = append(v.Arcs, newCodeArc(pair[0], pair[1], counts[pair], len(v.Rows)))
	}
}

// newCodeArc is the curve from a row to another, n imports of a picture of so many
// rows. The script of the page draws the same.
func newCodeArc(from, to, n, rows int) codeArc {
	far := math.Abs(float64(to - from))
	reach := 130 * math.Sqrt(far/float64(rows))
	if to < from {
		reach *= 0.85 // so that both ways are seen
	}
	x := strconv.FormatFloat(reach, 'f', 1, 64)
	a, b := 10*from+5, 10*to+5
	return codeArc{
		Path:   fmt.Sprintf("M0 %dC%s %d %s %d 0 %d", a, x, a, x, b, b),
		Width:  strconv.FormatFloat(1+math.Log2(float64(n))/2, 'f', 1, 64),
		IsBack: to < from,
	}
}

// folderOf is the folder of a file with its slash, "./" for that of the project.
func folderOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i+1]
	}
	return "./"
}

// foldFolders says which files stand for themselves on a page that has room for limit,
// and lists the folders whose files stand together: those with most files first, and if
// that is not enough whatever lies deep. The result has by path, with a slash at the end of that
// of a folder, the files that it stands for.
func foldFolders(files []string, limit int) (map[string][]string, []string) {
	var folded []string
	count := make(map[string]int)
	for _, f := range files {
		count[folderOf(f)]++
	}
	dirs := make([]string, 0, len(count))
	for d := range count {
		dirs = append(dirs, d)
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })
	together := make(map[string]bool)
	left := len(files)
	for _, d := range dirs {
		if left <= limit || count[d] < 2 {
			break
		}
		together[d] = true
		left -= count[d] - 1
	}
	stands := func(f string) string {
		if d := folderOf(f); together[d] {
			return d
		}
		return f
	}
	for depth := 12; ; depth-- {
		out := make(map[string][]string)
		for _, f := range files {
			name := stands(f)
			if parts := strings.SplitAfterN(name, "/", depth+1); left > limit && len(parts) > depth {
				name = strings.Join(parts[:depth], "")
			}
			out[name] = append(out[name], f)
		}
		if len(out) > limit && depth > 1 {
			continue
		}
		for name := range out {
			if strings.HasSuffix(name, "/") {
				folded = append(folded, name)
			}
		}
		slices.Sort(folded)
		return out, folded
	}
}
